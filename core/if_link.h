/* SPDX-License-Identifier: BSD-2-Clause
 * linux/if_link.h, and what older ones lack.
 */
#ifndef CORE_IF_LINK_H
#define CORE_IF_LINK_H

#include <linux/if_link.h>

#ifndef IFLA_GRO_MAX_SIZE /* Linux 5.19 */
#define IFLA_GRO_MAX_SIZE 58
#endif
#ifndef IFLA_GRO_IPV4_MAX_SIZE /* Linux 6.3 */
#define IFLA_GRO_IPV4_MAX_SIZE 64
#endif

#endif
