/* rules.h - checks that stand between the users of an interface and its provider (heddle run --check-modules)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An interface may have rules: what its functions may return, what they may change, who calls them when.  With
 * --check-modules its functions are replaced by others, which call them and see that the rules are kept.  A run
 * without has nothing of it.
 */
#ifndef HEDDLE_RULES_H
#define HEDDLE_RULES_H

#include <heddle/module.h>

HD_BEGIN

/* What the checks of one interface struct begin with. */
struct hd_judged {
	struct hd_sim *sim;
	const struct hd_instance *provider;
	const void *provided;
	const struct hd_rules *rules;
	unsigned char *kept; /* hd_rules_keep() */
};

struct hd_rules {
	const struct hd_type *type;
	size_t size; /* of its checks, which begin with a struct hd_judged and are zeroed */
	/* The provider has filled the struct: keeps its functions, and puts checks in their places, with the checks as
	 * their `self`.  Called again when the provider has started, which may have filled in more.  NULL: it has no
	 * functions. */
	void (*stand)(void *checks, void *provided);
	/* After an instance that uses it was evaluated: is the data that they share as it should be?  Or NULL. */
	void (*look)(void *checks, const void *provided);
};

/* The provider has broken a rule: fails the run, in its name.  Does not return while an edge is evaluated. */
void hd_rules_wrong(const struct hd_judged *k, const char *fmt, ...) HD_PRINTF(2, 3);
/* The user that calls it has. */
void hd_rules_misused(const struct hd_judged *k, const char *fmt, ...) HD_PRINTF(2, 3);
/* The instance has; NULL: the provider. */
void hd_rules_blame(const struct hd_judged *k, const struct hd_instance *who, const char *fmt, ...) HD_PRINTF(3, 4);

/* Keeps the state of the provider.  Is it still the same? */
void hd_rules_keep(struct hd_judged *k);
bool hd_rules_same(const struct hd_judged *k);

/* The instance that is evaluated, or NULL; its name for messages; is its module a plug-in? */
const struct hd_instance *hd_rules_caller(const struct hd_judged *k);
const char *hd_rules_name(const struct hd_instance *in);
bool hd_rules_plugin(const struct hd_judged *k, const struct hd_instance *in);
/* The present cycle, as messages have it. */
uint64_t hd_rules_cycle(const struct hd_judged *k);
/* The interface of that type that the provider uses; NULL: none. */
const void *hd_rules_uses(const struct hd_judged *k, const struct hd_type *type);

/* For `stand`: keeps function f of *provided in *kept and puts `check` in its place, if it is not there yet. */
#define HD_STAND(kept, provided, f, check) \
	((provided)->f != NULL && (provided)->f != (check) \
		 ? ((kept)->f = (provided)->f, (provided)->f = (check), (void)0) : (void)0)

/* What a call returns that must have no effect: it is made twice, and changes neither the result nor the state. */
#define HD_RULES_PURE(k, name, result, call) \
	do { \
		(result) = (call); \
		hd_rules_keep(&(k)->by); \
		if ((result) != (call) || !hd_rules_same(&(k)->by)) \
			hd_rules_wrong(&(k)->by, "has an effect in " name "() that the next call sees; expected " \
			               "that it only chooses, as dumps and --no-sleep call it more often"); \
	} while (0)

HD_END

#endif
