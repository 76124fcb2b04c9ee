/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SHUNT_VERSION_H
#define SHUNT_VERSION_H

#define SHUNT_VERSION "0.1.0" /* meson.build reads the version from here */

#endif
