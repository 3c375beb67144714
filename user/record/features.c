#include "record/features.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"
#include "record/uprobe.h"

const char *feature_name(enum feature feature)
{
	static const char *const names[] = {
#define F(NAME, name, doc) name,
		FEATURE_TABLE(F)
#undef F
	};

	return names[feature];
}

/* Each raw tracepoint has a type "btf_trace_NAME": a pointer to a function whose first parameter is private data. */
static int tracepoint_parameters(const struct btf *btf, const char *name)
{
	char type_name[128];

	snprintf(type_name, sizeof(type_name), "btf_trace_%s", name);

	int id = btf__find_by_name_kind(btf, type_name, BTF_KIND_TYPEDEF);

	if (id < 0)
		return -1;

	const struct btf_type *pointer = btf__type_by_id(btf, btf__type_by_id(btf, (uint32_t)id)->type);
	const struct btf_type *function = pointer ? btf__type_by_id(btf, pointer->type) : NULL;

	return function && btf_is_func_proto(function) ? btf_vlen(function) - 1 : -1;
}

bool features_have_tracepoint(const struct features *features, const char *name)
{
	return tracepoint_parameters(features->kernel_btf, name) >= 0;
}

static bool is_pretended_absent(const char *name)
{
	const char *list = getenv("WARMTRACE_WITHOUT");
	size_t length = strlen(name);

	while (list && *list) {
		size_t here = strcspn(list, ",");

		if (here == length && strncmp(list, name, length) == 0)
			return true;
		list += here + (list[here] == ',');
	}
	return false;
}

static bool have_userfaultfd(void)
{
	auto_fd int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	return fd >= 0;
}

struct err *features_detect(struct features *ret_features)
{
	struct features features = {};

	if (geteuid() != 0)
		return err_hint(err_new(ERR_FAILED, "cannot trace: tracing needs root"), "run it with sudo");
	if (!is_pretended_absent("btf"))
		features.kernel_btf = btf__load_vmlinux_btf();
	if (libbpf_get_error(features.kernel_btf) || !features.kernel_btf)
		return err_hint(err_new(ERR_FAILED,
					"cannot trace: /sys/kernel/btf/vmlinux: the kernel's type information cannot be read"),
				"a kernel with CONFIG_DEBUG_INFO_BTF is needed (all current distributions have it)");
	features.has[FEATURE_BTF] = true;
	features.has_switch_state = tracepoint_parameters(features.kernel_btf, "sched_switch") >= 4;
	features.has[FEATURE_PAGE_FAULT_START] = features_have_tracepoint(&features, "page_fault_user");
	features.has[FEATURE_TCP_PROBE] = features_have_tracepoint(&features, "tcp_probe");
	features.has[FEATURE_INTERRUPTS] = features_have_tracepoint(&features, "softirq_entry") &&
					   features_have_tracepoint(&features, "hrtimer_expire_entry");
	features.has[FEATURE_UPROBE_MULTI] = uprobe_multi_works();
	features.has[FEATURE_USERFAULTFD] = have_userfaultfd();
	for (int feature = 0; feature < FEATURE_COUNT; feature++)
		if (is_pretended_absent(feature_name(feature)))
			features.has[feature] = false;
	*ret_features = features;
	return NULL;
}

void features_done(struct features *features)
{
	btf__free(features->kernel_btf);
	*features = (struct features){};
}
