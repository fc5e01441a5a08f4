/* rules_matrix.c - rules of units that work besides the warps, of the port of shared memory that they share, of
 * clusters
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "rules_list.h"

#include <heddle/gpu/matrix.h>
#include <heddle/gpu/remote.h>

struct async {
	struct hd_judged by;
	struct hd_async_if of;
	struct hd_inst inst;
};

static void async_issued(void *self, const struct hd_inst *inst)
{
	struct async *k = self;

	k->inst = *inst;
	k->of.issued(k->of.self, inst);
	if (memcmp(&k->inst, inst, sizeof *inst) != 0)
		hd_rules_wrong(&k->by, "has changed the instruction in issued(); expected that it only reads it");
}

static void async_ended(void *self, uint32_t warp)
{
	struct async *k = self;

	k->of.ended(k->of.self, warp);
}

static void stand_async(void *checks, void *provided)
{
	struct async *k = checks;
	struct hd_async_if *p = provided;

	HD_STAND(&k->of, p, issued, async_issued);
	HD_STAND(&k->of, p, ended, async_ended);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_async = { &hd_type_async_if, sizeof(struct async), stand_async, NULL };

struct products {
	struct hd_judged by;
	struct hd_products_if of;
};

static uint32_t products_cycles(void *self, const struct hd_inst *inst)
{
	struct products *k = self;
	uint32_t n = k->of.cycles(k->of.self, inst);

	if (n == 0)
		hd_rules_wrong(&k->by, "returned 0 cycles from cycles(); expected at least 1");
	return n;
}

static void stand_products(void *checks, void *provided)
{
	struct products *k = checks;
	struct hd_products_if *p = provided;

	HD_STAND(&k->of, p, cycles, products_cycles);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_products = { &hd_type_products_if, sizeof(struct products), stand_products, NULL };

struct smem_port {
	struct hd_judged by;
	struct hd_smem_port_if of;
};

static void smem_port_stream(void *self, uint32_t cycles, uint32_t interval)
{
	struct smem_port *k = self;

	if (cycles > interval)
		hd_rules_misused(&k->by, "called stream() of '%s' for %u of %u cycles; expected at most all of them",
		                 hd_rules_name(k->by.provider), cycles, interval);
	k->of.stream(k->of.self, cycles, interval);
}

static bool smem_port_take(void *self, enum hd_smem_client client)
{
	struct smem_port *k = self;

	if ((unsigned)client >= HD_SMEM_CLIENTS)
		hd_rules_misused(&k->by, "called take() of '%s' as client %d; expected one of enum hd_smem_client",
		                 hd_rules_name(k->by.provider), (int)client);
	return k->of.take(k->of.self, client);
}

static void stand_smem_port(void *checks, void *provided)
{
	struct smem_port *k = checks;
	struct hd_smem_port_if *p = provided;

	HD_STAND(&k->of, p, stream, smem_port_stream);
	HD_STAND(&k->of, p, take, smem_port_take);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_smem_port = { &hd_type_smem_port_if, sizeof(struct smem_port), stand_smem_port, NULL };

struct remote {
	struct hd_judged by;
	struct hd_remote_if of;
};

static void remote_deliver(void *self, const struct hd_remote *r)
{
	struct remote *k = self;

	if (r->kind != HD_REMOTE_JOIN && r->kind != HD_REMOTE_OPEN && r->kind != HD_REMOTE_GONE)
		hd_rules_misused(&k->by, "called deliver() of '%s' with a packet of kind %u; expected HD_REMOTE_JOIN, "
		                 "HD_REMOTE_OPEN or HD_REMOTE_GONE", hd_rules_name(k->by.provider), r->kind);
	k->of.deliver(k->of.self, r);
}

static void stand_remote(void *checks, void *provided)
{
	struct remote *k = checks;
	struct hd_remote_if *p = provided;

	HD_STAND(&k->of, p, deliver, remote_deliver);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_remote = { &hd_type_remote_if, sizeof(struct remote), stand_remote, NULL };
