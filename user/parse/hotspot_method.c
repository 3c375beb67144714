/* Names of classes and methods, and the line of a bytecode.
 *
 * Method → ConstMethod (name and signature as indexes, bytecodes, line table behind them) → ConstantPool (symbols
 * behind its fixed part, the class that holds it) → Klass → Symbol. */
#include "parse/hotspot_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "parse/unsigned5.h"

enum {
	SYMBOL_BYTES_MAX = 65535,
	SYMBOL_BYTES_USUAL = 256,
	CONST_METHOD_BYTES_MAX = 1 << 20, /* bytecodes end at 64 KiB; tables for lines and variables come on top */
	ACCESS_NATIVE = 0x0100,
};

/* The text of a Symbol*, interned; NULL if unreadable. */
static const char *read_symbol(struct hotspot *hotspot, uint64_t symbol)
{
	uint64_t length;
	char usual[SYMBOL_BYTES_USUAL];
	auto_free char *longer = NULL;
	char *text = usual;

	if (!fact_has(hotspot, FACT_SYMBOL_BODY) ||
	    !hotspot_read_field(hotspot, symbol, FACT_SYMBOL_LENGTH, &length) || length > SYMBOL_BYTES_MAX)
		return NULL;
	if (length > sizeof(usual)) {
		text = longer = malloc(length);
		if (!longer)
			memory_exhausted();
	}
	if (length && !hotspot_read_bytes(hotspot, symbol + fact_value(hotspot, FACT_SYMBOL_BODY), text, length))
		return NULL;
	return strpool_text(&hotspot->strings, strpool_add(&hotspot->strings, text, length));
}

const char *hotspot_class_name(struct hotspot *hotspot, uint64_t klass)
{
	uint64_t symbol;

	return hotspot_read_field(hotspot, klass, FACT_KLASS_NAME, &symbol) ? read_symbol(hotspot, symbol) : NULL;
}

/* The symbol at an index of a constant pool. */
static const char *read_pool_symbol(struct hotspot *hotspot, uint64_t pool, uint64_t index)
{
	uint64_t length, symbol;

	if (!index || !hotspot_read_field(hotspot, pool, FACT_POOL_LENGTH, &length) || index >= length ||
	    !hotspot_read_u64(hotspot, pool + fact_value(hotspot, FACT_POOL_SIZEOF) + 8 * index, &symbol))
		return NULL;
	return read_symbol(hotspot, symbol);
}

static const char *read_source_file(struct hotspot *hotspot, uint64_t pool, uint64_t klass)
{
	uint64_t index = 0;

	if (!hotspot_read_field(hotspot, pool, FACT_POOL_SOURCE_INDEX, &index) &&
	    !hotspot_read_field(hotspot, klass, FACT_CLASS_SOURCE_INDEX, &index))
		return "";

	const char *name = read_pool_symbol(hotspot, pool, index);

	return name ? name : "";
}

/* What of a method lies in the method itself and its ConstMethod. */
struct method_place {
	uint64_t constant, pool, name, signature;
};

static bool read_holder(struct hotspot *hotspot, uint64_t pool, struct hotspot_method *method)
{
	struct hotspot_holder holder;
	uint64_t key, *known;

	if (!hotspot_read_field(hotspot, pool, FACT_POOL_HOLDER, &method->klass))
		return false;
	key = hash_combine(pool, method->klass);
	known = map_find(&hotspot->holders, key);
	if (known) {
		holder = hotspot->known_holders.items[*known];
	} else {
		holder.class_name = hotspot_class_name(hotspot, method->klass);
		if (!holder.class_name)
			return false;
		holder.file = read_source_file(hotspot, pool, method->klass);
		map_set(&hotspot->holders, key, hotspot->known_holders.count, NULL);
		*vec_push(&hotspot->known_holders) = holder;
	}
	method->class_name = holder.class_name;
	method->file = holder.file;
	return true;
}

/* What lies elsewhere: in the constant pool, the class and the symbols. */
static bool read_words(struct hotspot *hotspot, const struct method_place *place, struct hotspot_method *method)
{
	if (!read_holder(hotspot, place->pool, method))
		return false;
	method->name = read_pool_symbol(hotspot, place->pool, place->name);
	method->signature = read_pool_symbol(hotspot, place->pool, place->signature);
	return method->name && method->signature;
}

/* A method is met at many bytecodes, and its words lie in up to eight other pages: they are read once. Another method that
 * came to lie at the same places would have to have its names at the same indexes too. */
bool hotspot_method_read(struct hotspot *hotspot, uint64_t method, struct hotspot_method *ret_method)
{
	struct method_place place;
	struct hotspot_method result;
	uint64_t access, *known;

	if (!hotspot_has(hotspot, HOTSPOT_METHOD_NAMES) ||
	    !hotspot_read_field(hotspot, method, FACT_METHOD_CONST, &place.constant) ||
	    !hotspot_read_field(hotspot, method, FACT_METHOD_ACCESS, &access) ||
	    !hotspot_read_field(hotspot, place.constant, FACT_CONST_POOL, &place.pool) ||
	    !hotspot_read_field(hotspot, place.constant, FACT_CONST_NAME_INDEX, &place.name) ||
	    !hotspot_read_field(hotspot, place.constant, FACT_CONST_SIGNATURE_INDEX, &place.signature))
		return false;

	uint64_t key = hash_combine(hash_combine(method, place.constant),
				    hash_combine(place.pool, place.name << 32 | place.signature));

	known = map_find(&hotspot->methods, key);
	if (known) {
		*ret_method = hotspot->known_methods.items[*known];
		return true;
	}
	if (!read_words(hotspot, &place, &result))
		return false;
	result.is_native = (access & ACCESS_NATIVE) != 0;
	map_set(&hotspot->methods, key, hotspot->known_methods.count, NULL);
	*vec_push(&hotspot->known_methods) = result;
	*ret_method = result;
	return true;
}

/* The line of the table's last entry that is not behind `bci`. An entry is a byte (bci step << 3 | line step); 0xff
 * says that two signed numbers follow instead, 0 ends the table. */
static uint32_t line_of_table(const uint8_t *bytes, size_t length_bytes, uint8_t excluded, int32_t bci)
{
	struct unsigned5 stream = {.bytes = bytes, .length_bytes = length_bytes, .excluded = excluded};
	int64_t at = 0, line = 0, best_at = -1, best_line = 0;

	while (stream.position < length_bytes) {
		uint8_t step = bytes[stream.position++];

		if (step == 0)
			break;
		if (step == 0xff) {
			int32_t bci_step, line_step;

			if (!unsigned5_read_signed(&stream, &bci_step) || !unsigned5_read_signed(&stream, &line_step))
				break;
			at += bci_step;
			line += line_step;
		} else {
			at += step >> 3;
			line += step & 7;
		}
		if (at == bci)
			return line > 0 && line < UINT16_MAX + 1 ? (uint32_t)line : 0;
		if (at < bci && at >= best_at) {
			best_at = at;
			best_line = line;
		}
	}
	return best_line > 0 && best_line < UINT16_MAX + 1 ? (uint32_t)best_line : 0;
}

uint32_t hotspot_method_line(struct hotspot *hotspot, uint64_t method, int32_t bci)
{
	uint64_t constant, flags, code_bytes, words;

	if (bci < 0 || !hotspot_has(hotspot, HOTSPOT_LINE_NUMBERS) ||
	    !hotspot_read_field(hotspot, method, FACT_METHOD_CONST, &constant) ||
	    !hotspot_read_field(hotspot, constant, FACT_CONST_FLAGS, &flags) ||
	    !(flags & fact_value(hotspot, FACT_CONST_HAS_LINES)) ||
	    !hotspot_read_field(hotspot, constant, FACT_CONST_CODE_SIZE, &code_bytes) ||
	    !hotspot_read_field(hotspot, constant, FACT_CONST_WORDS, &words))
		return 0;

	uint64_t table = fact_value(hotspot, FACT_CONST_SIZEOF) + code_bytes, end = words * sizeof(uint64_t);

	if (end > CONST_METHOD_BYTES_MAX || table >= end)
		return 0;

	auto_free uint8_t *bytes = malloc(end - table);

	if (!bytes)
		memory_exhausted();
	if (!hotspot_read_bytes(hotspot, constant + table, bytes, end - table))
		return 0;
	return line_of_table(bytes, end - table, hotspot->unsigned5_excluded, bci);
}
