/* Facts of a running VM: its version, flags, memory ranges and threads. */
#include "parse/hotspot_layout.h"

#include <stdio.h>
#include <string.h>

#include "base/auto.h"

enum {
	FLAGS_MAX = 16384, /* real ones: about 1,500 */
	THREADS_COUNT_MAX = 1 << 20,
	LOADERS_MAX = 1 << 20,
	TRAP_NAMES_MAX = 64,	/* a request has five bits for a reason and three for an action */
	FLAG_ORIGIN_MASK = 15,	/* of a flag's word; the rest are other marks */
	VTABLE_HEAD_BYTES = 16, /* a vtable's symbol stands this far before the address that objects hold */
};

bool hotspot_version_read(struct hotspot *hotspot, struct hotspot_version *ret_version)
{
	static const enum hotspot_fact_id numbers[] = {FACT_VERSION_MAJOR, FACT_VERSION_MINOR, FACT_VERSION_SECURITY,
						       FACT_VERSION_BUILD};
	int32_t values[4] = {};
	uint64_t value, release, info = 0;

	if (!hotspot_has(hotspot, HOTSPOT_VERSION) || !hotspot_read_static(hotspot, FACT_VERSION_RELEASE, &release))
		return false;
	for (size_t i = 0; i < array_length(numbers); i++)
		if (hotspot_read_static(hotspot, numbers[i], &value))
			values[i] = (int32_t)value;
	hotspot_read_static(hotspot, FACT_VERSION_INFO, &info);

	const char *release_text = hotspot_read_text(hotspot, release);
	const char *info_text = info ? hotspot_read_text(hotspot, info) : NULL;

	if (!release_text)
		return false;
	*ret_version = (struct hotspot_version){
		.major = values[0],
		.minor = values[1],
		.security = values[2],
		.build = values[3],
		.release = release_text,
		.info = info_text ? info_text : "",
	};
	return true;
}

/* ---- flags ---- */

static void flags_load(struct hotspot *hotspot)
{
	uint64_t flags, count, stride = fact_value(hotspot, FACT_FLAG_SIZEOF);

	if (hotspot->flags_are_loaded)
		return;
	hotspot->flags_are_loaded = true;
	if (!hotspot_has(hotspot, HOTSPOT_FLAGS) || stride < sizeof(uint64_t) ||
	    !hotspot_read_static(hotspot, FACT_FLAGS, &flags) ||
	    !hotspot_read_static(hotspot, FACT_FLAG_COUNT, &count))
		return;
	for (uint64_t i = 0; i < count && i < FLAGS_MAX; i++) {
		uint64_t entry = flags + i * stride, name;
		const char *text;

		if (!hotspot_read_field(hotspot, entry, FACT_FLAG_NAME, &name))
			break;
		/* The last entry has no name. */
		if (name && (text = hotspot_read_text(hotspot, name)) != NULL)
			map_set(&hotspot->flags, hash_bytes(text, strlen(text)), entry, NULL);
	}
}

static uint64_t flag_entry(struct hotspot *hotspot, const char *name)
{
	flags_load(hotspot);

	const uint64_t *entry = map_find(&hotspot->flags, hash_bytes(name, strlen(name)));

	return entry ? *entry : 0;
}

uint64_t hotspot_flag_address(struct hotspot *hotspot, const char *name)
{
	uint64_t address = 0, entry = flag_entry(hotspot, name);

	return entry && hotspot_read_field(hotspot, entry, FACT_FLAG_ADDRESS, &address) ? address : 0;
}

static bool read_flag(struct hotspot *hotspot, const char *name, void *value, size_t value_bytes,
		      enum hotspot_flag_origin *ret_origin)
{
	uint64_t address = hotspot_flag_address(hotspot, name), word = 0;

	if (!address || !hotspot_read_bytes(hotspot, address, value, value_bytes))
		return false;
	hotspot_read_field(hotspot, flag_entry(hotspot, name), FACT_FLAG_FLAGS, &word);
	if (ret_origin)
		*ret_origin = (enum hotspot_flag_origin)(word & FLAG_ORIGIN_MASK);
	return true;
}

bool hotspot_flag_bool(struct hotspot *hotspot, const char *name, bool *ret_value,
		       enum hotspot_flag_origin *ret_origin)
{
	uint8_t value;

	if (!read_flag(hotspot, name, &value, sizeof(value), ret_origin))
		return false;
	*ret_value = value != 0;
	return true;
}

bool hotspot_flag_number(struct hotspot *hotspot, const char *name, uint64_t *ret_value,
			 enum hotspot_flag_origin *ret_origin)
{
	return read_flag(hotspot, name, ret_value, sizeof(*ret_value), ret_origin);
}

bool hotspot_flag_text(struct hotspot *hotspot, const char *name, const char **ret_text,
		       enum hotspot_flag_origin *ret_origin)
{
	uint64_t address;

	if (!read_flag(hotspot, name, &address, sizeof(address), ret_origin))
		return false;
	*ret_text = address ? hotspot_read_text(hotspot, address) : NULL;
	return true;
}

const char *hotspot_gc_name(struct hotspot *hotspot)
{
	static const struct {
		const char *flag, *name;
	} collectors[] = {
		{"UseG1GC", "G1"},
		{"UseZGC", "ZGC"},
		{"UseSerialGC", "Serial"},
		{"UseParallelGC", "Parallel"},
		{"UseShenandoahGC", "Shenandoah"},
		{"UseEpsilonGC", "Epsilon"},
		{"UseConcMarkSweepGC", "CMS"},
	};
	bool is_used;

	for (size_t i = 0; i < array_length(collectors); i++)
		if (hotspot_flag_bool(hotspot, collectors[i].flag, &is_used, NULL) && is_used)
			return collectors[i].name;
	return NULL;
}

/* ---- why compiled code is given up ---- */

static const char *trap_names(struct hotspot *hotspot, enum hotspot_fact_id array, enum hotspot_fact_id count)
{
	char joined[1024];
	size_t length = 0;

	if (!hotspot_has(hotspot, HOTSPOT_TRAP_REASONS) || fact_value(hotspot, count) > TRAP_NAMES_MAX)
		return NULL;
	for (uint64_t i = 0; i < fact_value(hotspot, count); i++) {
		uint64_t text = 0;
		const char *name = NULL;

		if (hotspot_read_u64(hotspot, fact_value(hotspot, array) + 8 * i, &text) && text)
			name = hotspot_read_text(hotspot, text);
		if (!name || length + strlen(name) + 2 > sizeof(joined))
			return NULL;
		length += (size_t)snprintf(joined + length, sizeof(joined) - length, "%s%s", i ? "," : "", name);
	}
	return length ? strpool_text(&hotspot->strings, strpool_add_text(&hotspot->strings, joined)) : NULL;
}

const char *hotspot_trap_reasons(struct hotspot *hotspot)
{
	return trap_names(hotspot, FACT_TRAP_REASON_NAMES, FACT_TRAP_REASON_COUNT);
}

const char *hotspot_trap_actions(struct hotspot *hotspot)
{
	return trap_names(hotspot, FACT_TRAP_ACTION_NAMES, FACT_TRAP_ACTION_COUNT);
}

/* ---- memory ---- */

bool hotspot_heap_range(struct hotspot *hotspot, struct hotspot_range *ret_range)
{
	uint64_t heap, start, words, region;

	if (!hotspot_has(hotspot, HOTSPOT_HEAP_RANGE) || !hotspot_read_static(hotspot, FACT_UNIVERSE_HEAP, &heap) ||
	    !heap)
		return false;
	region = heap + fact_value(hotspot, FACT_HEAP_RESERVED);
	if (!hotspot_read_field(hotspot, region, FACT_REGION_START, &start) ||
	    !hotspot_read_field(hotspot, region, FACT_REGION_WORDS, &words) || !start || !words ||
	    words > (UINT64_MAX - start) / 8)
		return false;
	*ret_range = (struct hotspot_range){start, start + words * 8};
	return true;
}

bool hotspot_shared_range(struct hotspot *hotspot, struct hotspot_range *ret_range)
{
	uint64_t low, high;

	if (!hotspot_has(hotspot, HOTSPOT_SHARED_RANGE) || !hotspot_read_static(hotspot, FACT_SHARED_LOW, &low) ||
	    !hotspot_read_static(hotspot, FACT_SHARED_HIGH, &high) || !low || high <= low)
		return false;
	*ret_range = (struct hotspot_range){low, high};
	return true;
}

/* Is the class one of instances (not of arrays)? Only those have a constant pool. */
static bool has_pool(const struct hotspot *hotspot, uint64_t klass)
{
	uint64_t layout;

	return hotspot_read_field(hotspot, klass, FACT_KLASS_LAYOUT, &layout) &&
	       hotspot_signed(layout, hotspot->facts[FACT_KLASS_LAYOUT].width_bytes) > 0;
}

size_t hotspot_metadata_witnesses(struct hotspot *hotspot, size_t limit,
				  void (*witness)(void *context, enum hotspot_witness kind, uint64_t address),
				  void *context)
{
	struct hotspot_range shared = {};
	uint64_t loader, pool;
	size_t count = 0, loaders = 0;
	bool has_class_space = false;

	if (!hotspot_has(hotspot, HOTSPOT_METADATA_WITNESSES) ||
	    !hotspot_read_static(hotspot, FACT_LOADER_FIRST, &loader))
		return 0;
	hotspot_shared_range(hotspot, &shared);
	hotspot_flag_bool(hotspot, "UseCompressedClassPointers", &has_class_space, NULL);
	while (loader && count < limit && loaders++ < LOADERS_MAX) {
		uint64_t klass = 0;

		hotspot_read_field(hotspot, loader, FACT_LOADER_CLASSES, &klass);
		while (klass && count < limit) {
			if (klass < shared.start || klass >= shared.end) {
				witness(context,
					has_class_space ? HOTSPOT_WITNESS_CLASS_SPACE : HOTSPOT_WITNESS_METASPACE,
					klass);
				if (has_pool(hotspot, klass) &&
				    hotspot_read_field(hotspot, klass, FACT_CLASS_POOL, &pool) && pool)
					witness(context, HOTSPOT_WITNESS_METASPACE, pool);
			}
			count++;
			if (!hotspot_read_field(hotspot, klass, FACT_KLASS_NEXT, &klass))
				break;
		}
		if (!hotspot_read_field(hotspot, loader, FACT_LOADER_NEXT, &loader))
			break;
	}
	return count;
}

/* ---- loaders ---- */

static bool class_of_object(struct hotspot *hotspot, uint64_t object, uint64_t *ret_klass)
{
	bool is_compact = false, is_narrow = hotspot->facts[FACT_OBJECT_KLASS].width_bytes == sizeof(uint32_t);
	uint64_t word, base, shift;
	uint32_t narrow;

	hotspot_flag_bool(hotspot, "UseCompactObjectHeaders", &is_compact, NULL);
	if (!is_narrow)
		hotspot_flag_bool(hotspot, "UseCompressedClassPointers", &is_narrow, NULL);
	if (is_compact && fact_has(hotspot, FACT_COMPACT_KLASS_SHIFT)) {
		if (!hotspot_read_u64(hotspot, object, &word))
			return false;
		word >>= fact_value(hotspot, FACT_COMPACT_KLASS_SHIFT) & 63;
	} else if (is_narrow) {
		if (!fact_has(hotspot, FACT_OBJECT_KLASS) ||
		    !hotspot_read_bytes(hotspot, object + fact_value(hotspot, FACT_OBJECT_KLASS), &narrow, sizeof(narrow)))
			return false;
		word = narrow;
	} else {
		return fact_has(hotspot, FACT_OBJECT_KLASS) &&
		       hotspot_read_u64(hotspot, object + fact_value(hotspot, FACT_OBJECT_KLASS), ret_klass);
	}
	if (!hotspot_read_static(hotspot, FACT_KLASS_BASE, &base) || !hotspot_read_static(hotspot, FACT_KLASS_SHIFT, &shift))
		return false;
	*ret_klass = base + (word << (shift & 63));
	return true;
}

/* A reference in the VM's own memory is not compressed; generational ZGC keeps marks in its low bits. */
static uint64_t plain_reference(struct hotspot *hotspot, uint64_t reference)
{
	uint64_t globals = 0, place, shift;

	if (!hotspot_read_static(hotspot, FACT_Z_GLOBALS, &globals) || !globals ||
	    !hotspot_read_field(hotspot, globals, FACT_Z_LOAD_SHIFT, &place) || !hotspot_read_u64(hotspot, place, &shift))
		return reference;
	return reference >> (shift & 63);
}

const char *hotspot_loader_name(struct hotspot *hotspot, uint64_t loader_data)
{
	uint64_t handle, object = 0, klass;

	if (!fact_has(hotspot, FACT_LOADER_OBJECT) || !hotspot_read_field(hotspot, loader_data, FACT_LOADER_OBJECT, &handle) ||
	    (handle && !hotspot_read_u64(hotspot, handle, &object)))
		return NULL;
	if (!object)
		return "";
	return class_of_object(hotspot, plain_reference(hotspot, object), &klass) ? hotspot_class_name(hotspot, klass) : NULL;
}

/* ---- threads ---- */

static const char *const thread_kinds[HOTSPOT_THREAD_KINDS] = {
	"JavaThread",	      "CompilerThread",	      "ServiceThread",		"MonitorDeflationThread",
	"NotificationThread", "AttachListenerThread", "JvmtiAgentThread",	"JfrRecorderThread",
	"StringDedupThread",  "TrainingReplayThread", "CodeCacheSweeperThread",
};

static void find_thread_vtables(struct hotspot *hotspot)
{
	if (hotspot->vtables_are_known)
		return;
	hotspot->vtables_are_known = true;
	for (size_t i = 0; i < HOTSPOT_THREAD_KINDS; i++) {
		char symbol[64];

		snprintf(symbol, sizeof(symbol), "_ZTV%zu%s", strlen(thread_kinds[i]), thread_kinds[i]);
		hotspot->vtables[i] = hotspot->access.symbol(hotspot->access.context, symbol);
	}
}

static const char *kind_of_thread(struct hotspot *hotspot, uint64_t thread)
{
	uint64_t vtable;

	find_thread_vtables(hotspot);
	if (!hotspot_read_u64(hotspot, thread, &vtable))
		return NULL;
	for (size_t i = 0; i < HOTSPOT_THREAD_KINDS; i++)
		if (hotspot->vtables[i] && hotspot->vtables[i] + VTABLE_HEAD_BYTES == vtable)
			return thread_kinds[i];
	return NULL;
}

static bool read_thread(struct hotspot *hotspot, uint64_t address, struct hotspot_thread *ret_thread)
{
	uint64_t os_thread, tid, base = 0, bytes = 0;

	if (!hotspot_read_field(hotspot, address, FACT_THREAD_OS_THREAD, &os_thread) ||
	    !hotspot_read_field(hotspot, os_thread, FACT_OS_THREAD_ID, &tid))
		return false;
	hotspot_read_field(hotspot, address, FACT_THREAD_STACK_BASE, &base);
	hotspot_read_field(hotspot, address, FACT_THREAD_STACK_SIZE, &bytes);
	*ret_thread = (struct hotspot_thread){
		.address = address,
		.tid = (uint32_t)tid,
		.stack = {base > bytes ? base - bytes : 0, base},
		.kind = kind_of_thread(hotspot, address),
	};
	return true;
}

/* To 11 the threads are a linked list, since then an array that is replaced as a whole. */
static size_t threads_of_chain(struct hotspot *hotspot,
			       void (*found)(void *context, const struct hotspot_thread *thread), void *context)
{
	uint64_t address;
	size_t count = 0;

	if (!hotspot_read_static(hotspot, FACT_THREAD_FIRST, &address))
		return 0;
	for (size_t steps = 0; address && steps < THREADS_COUNT_MAX; steps++) {
		struct hotspot_thread thread;

		if (read_thread(hotspot, address, &thread)) {
			found(context, &thread);
			count++;
		}
		if (!hotspot_read_field(hotspot, address, FACT_THREAD_NEXT, &address))
			break;
	}
	return count;
}

size_t hotspot_threads(struct hotspot *hotspot, void (*found)(void *context, const struct hotspot_thread *thread),
		       void *context)
{
	uint64_t list, length, array, address;
	size_t count = 0;

	if (!hotspot_has(hotspot, HOTSPOT_THREADS))
		return 0;
	if (!fact_has(hotspot, FACT_THREAD_LIST))
		return threads_of_chain(hotspot, found, context);
	if (!hotspot_read_static(hotspot, FACT_THREAD_LIST, &list) ||
	    !hotspot_read_field(hotspot, list, FACT_THREAD_LIST_LENGTH, &length) ||
	    !hotspot_read_field(hotspot, list, FACT_THREAD_LIST_THREADS, &array))
		return 0;
	for (uint64_t i = 0; i < length && i < THREADS_COUNT_MAX; i++) {
		struct hotspot_thread thread;

		if (!hotspot_read_u64(hotspot, array + 8 * i, &address))
			break;
		if (read_thread(hotspot, address, &thread)) {
			found(context, &thread);
			count++;
		}
	}
	return count;
}
