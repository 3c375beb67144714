#include "record/detach.h"

#include <bpf/libbpf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 8 };

struct detaching {
	__typeof__(((struct probes *)0)->links) links;
	__typeof__(((struct uprobe_links *)0)->fds) fds;
	atomic_size_t next;  /* of both, the descriptors first: probes of user code take longest */
	atomic_uint holders; /* threads that have not ended; the last one frees this */
};

static void detach_all(struct detaching *detaching)
{
	size_t count = detaching->fds.count + detaching->links.count;

	for (size_t i; (i = atomic_fetch_add(&detaching->next, 1)) < count;) {
		if (i < detaching->fds.count)
			close(detaching->fds.items[i]);
		else
			bpf_link__destroy(detaching->links.items[i - detaching->fds.count]);
	}
}

static void let_go(struct detaching *detaching)
{
	if (atomic_fetch_sub(&detaching->holders, 1) != 1)
		return;
	vec_done(&detaching->links);
	vec_done(&detaching->fds);
	free(detaching);
}

static void *detach_main(void *context)
{
	detach_all(context);
	let_go(context);
	return NULL;
}

void detach_links(struct probes *probes, struct uprobe_links *uprobes, bool in_background)
{
	struct detaching *detaching = calloc(1, sizeof(*detaching));
	pthread_t threads[THREADS];
	unsigned count = 0;

	if (!detaching)
		memory_exhausted();
	/* Perf events of user code go another way: uprobe_links_close. */
	if (probes->features.has[FEATURE_UPROBE_MULTI]) {
		detaching->fds.items = uprobes->fds.items;
		detaching->fds.count = uprobes->fds.count;
		uprobes->fds.items = NULL;
		uprobes->fds.count = uprobes->fds.capacity = 0;
	} else {
		uprobe_links_close(uprobes, false);
	}
	detaching->links.items = probes->links.items;
	detaching->links.count = probes->links.count;
	probes->links.items = NULL;
	probes->links.count = probes->links.capacity = 0;
	vec_done(&probes->sample_events);
	atomic_store(&detaching->holders, THREADS + 1);
	while (count < THREADS && pthread_create(&threads[count], NULL, detach_main, detaching) == 0)
		count++;
	atomic_fetch_sub(&detaching->holders, THREADS - count);
	if (!in_background || !count)
		detach_all(detaching);
	for (unsigned i = 0; i < count; i++) {
		if (in_background)
			pthread_detach(threads[i]);
		else
			pthread_join(threads[i], NULL);
	}
	let_go(detaching);
}
