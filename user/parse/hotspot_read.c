/* Typed reads of a VM's memory, for the other hotspot_*.c. */
#include "parse/hotspot_layout.h"

#include <string.h>

bool hotspot_read_bytes(const struct hotspot *hotspot, uint64_t address, void *buffer, size_t length_bytes)
{
	/* A null pointer plus a field's offset is the commonest wrong address: spare the system call. */
	if (address < 4096 || address + length_bytes < address)
		return false;
	return hotspot->access.read(hotspot->access.context, address, buffer, length_bytes);
}

bool hotspot_read_u64(const struct hotspot *hotspot, uint64_t address, uint64_t *ret_value)
{
	return hotspot_read_bytes(hotspot, address, ret_value, sizeof(*ret_value));
}

bool hotspot_read_i32(const struct hotspot *hotspot, uint64_t address, int32_t *ret_value)
{
	return hotspot_read_bytes(hotspot, address, ret_value, sizeof(*ret_value));
}

/* The supported machines are little-endian: a shorter number is the low bytes of the word. */
static bool read_width(const struct hotspot *hotspot, uint64_t address, uint8_t width_bytes, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (!hotspot_read_bytes(hotspot, address, &value, width_bytes))
		return false;
	*ret_value = value;
	return true;
}

bool hotspot_read_field(const struct hotspot *hotspot, uint64_t object, enum hotspot_fact_id id, uint64_t *ret_value)
{
	const struct hotspot_fact *fact = &hotspot->facts[id];

	return fact->is_present && object && read_width(hotspot, object + fact->value, fact->width_bytes, ret_value);
}

bool hotspot_read_static(const struct hotspot *hotspot, enum hotspot_fact_id id, uint64_t *ret_value)
{
	const struct hotspot_fact *fact = &hotspot->facts[id];

	return fact->is_present && read_width(hotspot, fact->value, fact->width_bytes, ret_value);
}

const char *hotspot_read_text(struct hotspot *hotspot, uint64_t address)
{
	char text[1024];
	size_t length_bytes = 0;

	/* In pieces that end at multiples of their size, so that no piece reaches into a page the text does not
	 * touch. */
	while (length_bytes < sizeof(text)) {
		size_t piece = 64 - (address + length_bytes) % 64;

		if (piece > sizeof(text) - length_bytes)
			piece = sizeof(text) - length_bytes;
		if (!hotspot_read_bytes(hotspot, address + length_bytes, text + length_bytes, piece))
			return NULL;

		const char *end = memchr(text + length_bytes, 0, piece);

		if (end)
			return strpool_text(&hotspot->strings,
					    strpool_add(&hotspot->strings, text, (size_t)(end - text)));
		length_bytes += piece;
	}
	return NULL;
}
