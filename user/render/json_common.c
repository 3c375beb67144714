#include "render/json_common.h"

const char *const json_count_names[COUNT_COUNT] = {
#define N(NAME, name, words) [COUNT_##NAME] = name,
	COUNT_TABLE(N)
#undef N
};

void json_put_int(struct json_out *json, const char *key, int64_t value)
{
	json_out_key(json, key);
	json_out_int(json, value);
}

void json_put_real(struct json_out *json, const char *key, double value)
{
	json_out_key(json, key);
	json_out_real(json, value);
}

void json_put_bool(struct json_out *json, const char *key, bool value)
{
	json_out_key(json, key);
	json_out_bool(json, value);
}

void json_put_text(struct json_out *json, const char *key, const char *text)
{
	if (!text)
		return;
	json_out_key(json, key);
	json_out_text(json, text);
}

void json_put_texts(struct json_out *json, const char *key, const char *const *texts, size_t count)
{
	json_out_key(json, key);
	json_out_array_flat(json);
	for (size_t i = 0; i < count; i++)
		json_out_text(json, texts[i] ? texts[i] : "");
	json_out_array_end(json);
}

/* True where the value itself is to be written after the key. */
static bool put_maybe_key(struct json_out *json, const char *key, enum maybe_state state)
{
	if (state == ABSENT)
		return false;
	json_out_key(json, key);
	if (state == NONE)
		json_out_null(json);
	return state == KNOWN;
}

void json_put_maybe(struct json_out *json, const char *key, struct maybe value)
{
	if (put_maybe_key(json, key, value.state))
		json_out_int(json, value.value);
}

void json_put_maybe_bool(struct json_out *json, const char *key, struct maybe value)
{
	if (put_maybe_key(json, key, value.state))
		json_out_bool(json, value.value != 0);
}

void json_put_maybe_real(struct json_out *json, const char *key, struct maybe_real value)
{
	if (put_maybe_key(json, key, value.state))
		json_out_real(json, value.value);
}

void json_put_maybe_text(struct json_out *json, const char *key, struct maybe_text value)
{
	if (put_maybe_key(json, key, value.state))
		json_out_text(json, value.text);
}

void json_put_observed_text(struct json_out *json, const char *key, const char *text)
{
	if (text && *text)
		json_put_text(json, key, text);
}
