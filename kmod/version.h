/* SPDX-License-Identifier: GPL-2.0 */
/* scripts/check-docs compares this with the library's version. */
#ifndef GLOOM_VERSION_H
#define GLOOM_VERSION_H

#define GLOOM_MODULE_VERSION "0.1.0"

#endif /* GLOOM_VERSION_H */
