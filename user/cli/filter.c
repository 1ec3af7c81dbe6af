// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "filter.h"
#include "output.h"

static const char * const hash_names[] = {
	[GLOOM_XXH64] = "xxh64",
	[GLOOM_XXH3] = "xxh3",
	[GLOOM_PREHASHED] = "prehashed",
};

#define NR_HASH_NAMES	(sizeof(hash_names) / sizeof(*hash_names))

const char *filter_hash_name(enum gloom_hash hash)
{
	if (hash < NR_HASH_NAMES && hash_names[hash])
		return hash_names[hash];
	return "unknown";
}

enum gloom_hash filter_hash_kind(const char *name)
{
	size_t i;

	for (i = 0; i < NR_HASH_NAMES; i++) {
		if (hash_names[i] && !strcmp(hash_names[i], name))
			return i;
	}
	return 0;
}

/* Is it the device that we may not use, or only the filter? */
static bool device_forbidden(void)
{
	struct gloom_limits limits = { .size = sizeof(limits) };

	return gloom_limits(&limits) == -EACCES;
}

int filter_error(const char *name, int error)
{
	const char *what = gloom_strerror(error);
	const char *advice = "";
	int code = CLI_ERROR;

	switch (error) {
	case -ENOENT:
		what = "no /dev/gloom: the module is not loaded";
		advice = "; load it with modprobe gloom, or insmod gloom.ko";
		code = CLI_UNUSABLE;
		break;
	case -EACCES:
		code = CLI_UNUSABLE;
		if (!name || device_forbidden()) {
			what = "no permission to use /dev/gloom";
			advice = "; join the group that owns it, usually gloom";
		} else {
			what = "no permission for this filter";
			advice = "; gloom list -l shows whose it is";
		}
		break;
	case -EPROTO:
		what = "/dev/gloom does not speak this command's language";
		advice = "; load the module of this command's release";
		break;
	case -ENXIO:
		what = "there is no filter of that name";
		advice = "; gloom list shows those there are";
		break;
	case -EEXIST:
		what = "a filter of that name exists";
		advice = "; remove it with gloom rm, or choose another name";
		break;
	case -ENOSPC:
		what = "a limit of the module would be passed";
		advice = "; gloom version shows the limits";
		break;
	case -ENOMEM:
		what = "not enough memory here or in the memory cgroup";
		break;
	case -ERANGE:
		what = "no filter can be that large";
		advice = "; gloom plan shows what fits";
		break;
	}
	message(name ? name : "/dev/gloom", "%s%s", what, advice);
	return code;
}

bool filter_name_valid(const char *name)
{
	size_t i;

	if (*name == '.' || *name == '-')
		return false;
	for (i = 0; name[i]; i++) {
		char c = name[i];

		if (!(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') &&
		    !(c >= '0' && c <= '9') && !strchr("._:@+-", c))
			return false;
	}
	return i >= 1 && i < sizeof(((struct gloom_entry *)0)->name);
}

int filter_open(const char *name, unsigned int access, unsigned int fallback,
		struct gloom_filter **filter, struct gloom_filter_info *info)
{
	int error;

	if (!filter_name_valid(name)) {
		message(name, "no filter can have that name");
		return CLI_ERROR;
	}
	error = gloom_open(filter, name, access);
	if (error == -EACCES && fallback)
		error = gloom_open(filter, name, fallback);
	if (error)
		return filter_error(name, error);
	*info = (struct gloom_filter_info){ .size = sizeof(*info) };
	error = gloom_info(*filter, 0, info);
	if (error) {
		gloom_close(*filter);
		return filter_error(name, error);
	}
	return CLI_OK;
}

bool filter_owner(const struct gloom_filter *filter, unsigned int *uid,
		  unsigned int *gid, unsigned int *mode)
{
	struct stat status;

	if (fstat(gloom_fd(filter), &status))
		return false;
	*uid = status.st_uid;
	*gid = status.st_gid;
	*mode = status.st_mode & 0777;
	return true;
}

void filter_describe(json_t *object, const struct gloom_filter *filter,
		     const struct gloom_filter_info *info)
{
	unsigned int uid, gid, mode;

	json_object_set_new(object, "name", json_string(info->name));
	json_object_set_new(object, "capacity", json_u64(info->capacity));
	json_object_set_new(object, "fpr_asked", info->fpr > 0 ?
			    json_real(info->fpr) : json_null());
	json_object_set_new(object, "blocks", json_u64(info->nr_blocks));
	json_object_set_new(object, "k", json_integer(info->k));
	json_object_set_new(object, "bytes", json_u64(info->bytes));
	json_object_set_new(object, "hash",
			    json_string(filter_hash_name(info->hash)));
	json_object_set_new(object, "layout", json_integer(info->layout));
	json_object_set_new(object, "seed", info->has_seed ?
			    json_hex(info->seed) : json_null());
	json_object_set_new(object, "node", info->node >= 0 ?
			    json_integer(info->node) : json_null());
	if (!filter_owner(filter, &uid, &gid, &mode))
		return;
	json_object_set_new(object, "uid", json_integer(uid));
	json_object_set_new(object, "gid", json_integer(gid));
	json_object_set_new(object, "mode", json_mode(mode));
}
