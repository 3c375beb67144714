/* pprof's profile.proto, compressed with gzip. Field numbers are those of the format's definition. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/auto.h"
#include "base/utf8.h"
#include "render/export.h"
#include "render/export_stacks.h"
#include "render/protobuf.h"

enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRINGS = 6,
	PROFILE_TIME_NS = 9,
	PROFILE_DURATION_NS = 10,
	PROFILE_COMMENT = 13,
};

struct profile {
	struct protobuf whole, nested, packed, label;
	struct strpool strings;
	struct map locations; /* string id -> location, which is also the function's id */
	VEC(uint32_t) location_names;
	const char **names; /* of the flame that is written */
	bool has_two_values;
	uint32_t key, phase;
};

static uint32_t string_of(struct profile *profile, const char *text)
{
	return strpool_add_text(&profile->strings, text);
}

static uint64_t location_of(struct profile *profile, const char *name)
{
	uint32_t id = string_of(profile, name);
	bool is_new;
	uint64_t location = *map_set(&profile->locations, id, profile->locations.count + 1, &is_new);

	if (is_new)
		*vec_push(&profile->location_names) = id;
	return location;
}

static void put_sample(void *context, const struct flame *flame, const uint32_t *nodes, size_t count)
{
	struct profile *profile = context;
	const struct flame_node *node = &flame->nodes.items[nodes[count - 1]];

	protobuf_clear(&profile->nested);
	protobuf_clear(&profile->packed);
	for (size_t i = count; i-- > 0;) /* the innermost first */
		protobuf_varint(&profile->packed, location_of(profile, profile->names[nodes[i]]));
	protobuf_message(&profile->nested, 1, &profile->packed);
	protobuf_clear(&profile->packed);
	protobuf_varint(&profile->packed, (uint64_t)node->value);
	if (profile->has_two_values)
		protobuf_varint(&profile->packed, (uint64_t)node->duration_ns);
	protobuf_message(&profile->nested, 2, &profile->packed);
	protobuf_clear(&profile->label);
	protobuf_uint(&profile->label, 1, profile->key);
	protobuf_uint(&profile->label, 2, profile->phase);
	protobuf_message(&profile->nested, 3, &profile->label);
	protobuf_message(&profile->whole, PROFILE_SAMPLE, &profile->nested);
}

static void put_sample_type(struct profile *profile, const char *type, const char *unit)
{
	protobuf_clear(&profile->nested);
	protobuf_uint(&profile->nested, 1, string_of(profile, type));
	protobuf_uint(&profile->nested, 2, string_of(profile, unit));
	protobuf_message(&profile->whole, PROFILE_SAMPLE_TYPE, &profile->nested);
}

static void put_locations(struct profile *profile)
{
	for (size_t i = 0; i < profile->location_names.count; i++) {
		protobuf_clear(&profile->packed);
		protobuf_uint(&profile->packed, 1, i + 1);
		protobuf_clear(&profile->nested);
		protobuf_uint(&profile->nested, 1, i + 1);
		protobuf_message(&profile->nested, 4, &profile->packed);
		protobuf_message(&profile->whole, PROFILE_LOCATION, &profile->nested);
		protobuf_clear(&profile->nested);
		protobuf_uint(&profile->nested, 1, i + 1);
		protobuf_uint(&profile->nested, 2, profile->location_names.items[i]);
		protobuf_uint(&profile->nested, 3, profile->location_names.items[i]);
		protobuf_message(&profile->whole, PROFILE_FUNCTION, &profile->nested);
	}
}

static const char *label_of(int phase)
{
	return phase == PHASE_FIRST_REQUEST ? "cold" : flame_phase_name(phase);
}

static struct err *put_compressed(const struct protobuf *message, FILE *out)
{
	uint8_t bytes[1 << 16];
	z_stream stream = {.next_in = (Bytef *)message->bytes, .avail_in = (uInt)message->length_bytes};
	int status = Z_OK;

	/* 16: with the head and foot of gzip. */
	if (message->length_bytes > UINT32_MAX ||
	    deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return err_new(ERR_FAILED, "cannot compress the profile");
	while (status == Z_OK) {
		stream.next_out = bytes;
		stream.avail_out = sizeof(bytes);
		status = deflate(&stream, Z_FINISH);
		fwrite(bytes, 1, sizeof(bytes) - stream.avail_out, out);
	}
	deflateEnd(&stream);
	return status == Z_STREAM_END ? export_finish(out) : err_new(ERR_FAILED, "cannot compress the profile");
}

static void profile_done(struct profile *profile)
{
	protobuf_done(&profile->whole);
	protobuf_done(&profile->nested);
	protobuf_done(&profile->packed);
	protobuf_done(&profile->label);
	strpool_done(&profile->strings);
	map_done(&profile->locations);
	vec_done(&profile->location_names);
}

struct err *render_pprof(const struct flame *flames, size_t flame_count, const struct report *report, FILE *out)
{
	auto_done(profile_done) struct profile profile = {};
	const char *unit = flame_unit(flames[0].by);

	strpool_add_text(&profile.strings, "");
	profile.has_two_values = !flame_is_time(flames[0].by);
	profile.key = string_of(&profile, "phase");
	if (profile.has_two_values)
		put_sample_type(&profile, unit, "count");
	put_sample_type(&profile, "time", "nanoseconds");
	for (size_t i = 0; i < flame_count; i++) {
		auto_done(arena_done) struct arena arena = {};

		profile.names = flame_safe_names(&flames[i], &arena);
		profile.phase = string_of(&profile, label_of(flames[i].phase));
		flame_each_stack(&flames[i], put_sample, &profile);
	}
	put_locations(&profile);
	protobuf_int(&profile.whole, PROFILE_TIME_NS, report->run.start_realtime_ns);
	protobuf_int(&profile.whole, PROFILE_DURATION_NS, report->run.wall_ns);
	protobuf_uint(&profile.whole, PROFILE_COMMENT, string_of(&profile, "made by warmtrace"));
	for vec_each(text, &profile.strings.strings)
		protobuf_bytes(&profile.whole, PROFILE_STRINGS, text->text, text->length_bytes);
	return put_compressed(&profile.whole, out);
}
