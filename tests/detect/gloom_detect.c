// SPDX-License-Identifier: GPL-2.0
/*
 * One deliberate bug of each class that debug kernels look for: proves that the
 * detectors would have spoken. Only for tests; never loaded elsewhere.
 *
 * Write the name of a bug to /sys/kernel/debug/gloom_detect.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

/* Where values go that the compiler must not know to be unused. */
static volatile long sink;

/* ---- Locks and contexts --------------------------------------------- */

static int __rcu *protected;
static DEFINE_SPINLOCK(spin);
static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);

/* Outside of any read-side critical section. */
static noinline void bug_rcu(void)
{
	sink = (long)rcu_dereference(protected);
}

static noinline void bug_sleep(void)
{
	spin_lock(&spin);
	might_sleep();
	spin_unlock(&spin);
}

static noinline void bug_lock_order(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);

	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

/* ---- Memory --------------------------------------------------------- */

/* One byte behind an object of @size bytes. */
static noinline void read_behind(const char *p, size_t size)
{
	OPTIMIZER_HIDE_VAR(p);
	if (p)
		sink = ((const volatile char *)p)[size];
}

static noinline void bug_slab_bounds(void)
{
	char *p = kmalloc(24, GFP_KERNEL);

	read_behind(p, 24);
	kfree(p);
}

/* Not a whole page: behind that is a page that does not exist. */
static noinline void bug_vmalloc_bounds(void)
{
	char *p = vmalloc(100);

	read_behind(p, 100);
	vfree(p);
}

static noinline void bug_stack_bounds(void)
{
	char array[24] = "";

	read_behind(array, sizeof(array));
}

static noinline void bug_use_after_free(void)
{
	char *p = kmalloc(24, GFP_KERNEL);

	kfree(p);
	read_behind(p, 0);
}

static noinline void bug_double_free(void)
{
	char *p = kmalloc(24, GFP_KERNEL);

	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	kfree(p);
}

static noinline void bug_leak(void)
{
	int i;

	/* More than one, as a stale register may still point to the last. */
	for (i = 0; i < 8; i++)
		sink = !!kmalloc(1000, GFP_KERNEL);
}

/* ---- Arithmetic ----------------------------------------------------- */

static noinline void bug_shift(void)
{
	int bits = 40;

	OPTIMIZER_HIDE_VAR(bits);
	sink = 1 << bits;
}

static noinline void bug_array_bounds(void)
{
	/* What is read is there all the same. */
	static struct {
		int array[4];
		int behind;
	} s;
	int i = 4;

	OPTIMIZER_HIDE_VAR(i);
	sink = s.array[i];
}

/* ---- Objects -------------------------------------------------------- */

struct timed {
	struct timer_list timer;
};

static void timed_out(struct timer_list *timer)
{
}

static noinline void bug_timer_free(void)
{
	struct timed *t = kmalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return;
	timer_setup(&t->timer, timed_out, 0);
	mod_timer(&t->timer, jiffies + 3600 * HZ);
	kfree(t);
}

struct worked {
	struct work_struct work;
};

static void worked_off(struct work_struct *work)
{
}

/* The worker is bound to this CPU and does not preempt. */
static noinline void bug_work_free(void)
{
	struct worked *w = kmalloc(sizeof(*w), GFP_KERNEL);

	if (!w)
		return;
	INIT_WORK(&w->work, worked_off);
	schedule_work(&w->work);
	kfree(w);
}

static noinline void bug_list(void)
{
	struct list_head entry, head = LIST_HEAD_INIT(head);

	list_add(&entry, &head);
	list_del(&entry);
	list_del(&entry);
}

static noinline void bug_refcount(void)
{
	refcount_t count = REFCOUNT_INIT(0);

	sink = refcount_dec_and_test(&count);
}

static noinline void bug_warn(void)
{
	WARN_ON(1);
}

/* ---- Races ---------------------------------------------------------- */

static long shared;
static int held;

static noinline void count_unlocked(void)
{
	int i;

	for (i = 0; i < 1000; i++)
		shared++;
}

/*
 * A lock that excludes, but orders nothing. What is done after it in the same
 * function is what the access under it may be reordered with.
 */
static noinline void count_unordered(void)
{
	int i, j;

	for (i = 0; i < 1000; i++) {
		if (cmpxchg_relaxed(&held, 0, 1))
			continue;
		shared++;
		WRITE_ONCE(held, 0);
		for (j = 0; j < 20; j++)
			sink = j;
	}
}

/* The right way. */
static noinline void count_ordered(void)
{
	int i, j;

	for (i = 0; i < 1000; i++) {
		if (cmpxchg_acquire(&held, 0, 1))
			continue;
		shared++;
		/* pairs with cmpxchg_acquire() */
		smp_store_release(&held, 0);
		for (j = 0; j < 20; j++)
			sink = j;
	}
}

static int race(void *fn)
{
	void (*count)(void) = fn;

	while (!kthread_should_stop()) {
		count();
		cond_resched();
	}
	return 0;
}

/* Two threads, for a while. */
static void race_all(void (*count)(void))
{
	struct task_struct *one = kthread_run(race, count, "gloom_detect/1");
	struct task_struct *two = kthread_run(race, count, "gloom_detect/2");

	ssleep(5);
	if (!IS_ERR(one))
		kthread_stop(one);
	if (!IS_ERR(two))
		kthread_stop(two);
}

static void bug_data_race(void)
{
	race_all(count_unlocked);
}

static void bug_missing_barrier(void)
{
	race_all(count_unordered);
}

/* None: nothing is to be said. */
static void bug_nothing(void)
{
	char *p = kmalloc(24, GFP_KERNEL);

	mutex_lock(&first);
	mutex_lock(&second);
	rcu_read_lock();
	sink = (long)rcu_dereference(protected);
	rcu_read_unlock();
	mutex_unlock(&second);
	mutex_unlock(&first);
	read_behind(p, 23);
	kfree(p);
	race_all(count_ordered);
}

/* ---- The file ------------------------------------------------------- */

#define DEFECT(name)	{ #name, bug_##name }

static const struct {
	const char *name;
	void (*fn)(void);
} bugs[] = {
	DEFECT(nothing),
	DEFECT(rcu),
	DEFECT(sleep),
	DEFECT(lock_order),
	DEFECT(slab_bounds),
	DEFECT(vmalloc_bounds),
	DEFECT(stack_bounds),
	DEFECT(use_after_free),
	DEFECT(double_free),
	DEFECT(leak),
	DEFECT(shift),
	DEFECT(array_bounds),
	DEFECT(timer_free),
	DEFECT(work_free),
	DEFECT(list),
	DEFECT(refcount),
	DEFECT(warn),
	DEFECT(data_race),
	DEFECT(missing_barrier),
};

static ssize_t detect_write(struct file *file, const char __user *ubuf,
			    size_t len, loff_t *pos)
{
	char name[32] = "";
	unsigned int i;

	if (len >= sizeof(name))
		return -EINVAL;
	if (copy_from_user(name, ubuf, len))
		return -EFAULT;
	for (i = 0; i < ARRAY_SIZE(bugs); i++) {
		if (!sysfs_streq(name, bugs[i].name))
			continue;
		bugs[i].fn();
		return len;
	}
	return -EINVAL;
}

static const struct file_operations detect_fops = {
	.owner	= THIS_MODULE,
	.write	= detect_write,
};

static struct dentry *detect_file;

static int __init detect_init(void)
{
	detect_file = debugfs_create_file("gloom_detect", 0200, NULL, NULL,
					  &detect_fops);
	return PTR_ERR_OR_ZERO(detect_file);
}

static void __exit detect_exit(void)
{
	debugfs_remove(detect_file);
}

module_init(detect_init);
module_exit(detect_exit);

MODULE_LICENSE("GPL");
MODULE_INFO(test, "Y");
MODULE_DESCRIPTION("Deliberate bugs, to test detectors of bugs");
MODULE_AUTHOR("The gloom authors");
