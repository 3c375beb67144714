/* The target of a request, byte by byte: what of it is secret, and what is kept of it. */
#include <string.h>

#include "parse/http_head.h"
#include "parse/redact.h"

static void target_put(struct http_head_machine *machine, char byte)
{
	if (machine->target_length < HTTP_TARGET_MAX) {
		machine->head.target[machine->target_length++] = byte;
		machine->head.target[machine->target_length] = '\0';
	} else {
		machine->head.is_target_cut = true;
	}
}

static void target_put_stars(struct http_head_machine *machine)
{
	for (int i = 0; i < 3; i++)
		target_put(machine, '*');
}

static bool ends_authority(uint8_t byte)
{
	return byte == '/' || byte == '?' || byte == '#';
}

/* User-info: what stands before '@' in the authority turns out to be secret only at the '@'. */
static void target_authority(struct http_head_machine *machine, uint8_t byte)
{
	const char *target = machine->head.target;
	size_t length = machine->target_length;

	if (machine->is_in_authority) {
		machine->authority_bytes++;
		if (byte == '@') {
			machine->secret_back = machine->authority_bytes - 1;
			machine->target_length = machine->authority_start;
			target_put_stars(machine);
		}
		if (byte == '@' || ends_authority(byte))
			machine->is_in_authority = false;
	} else if (byte == '/' && length >= 2 && length < 32 && target[0] != '/' && !machine->is_in_parameters &&
		   memcmp(target + length - 2, ":/", 2) == 0) {
		machine->is_in_authority = true;
		machine->authority_start = length + 1;
		machine->authority_bytes = 0;
	} else if (length == 0 && strcmp(machine->head.method, "CONNECT") == 0) {
		machine->is_in_authority = true;
		machine->authority_start = 0;
		machine->authority_bytes = 1;
	}
}

size_t http_head_hide_authority(struct http_head_machine *machine)
{
	if (!machine->is_in_authority || machine->is_authority_hidden || machine->authority_bytes == 0)
		return 0;
	machine->is_authority_hidden = true;
	machine->target_length = machine->authority_start;
	target_put_stars(machine);
	return machine->authority_bytes;
}

/* Whether the byte ends the value of a secret parameter (or any parameter). Blanks end the whole target before. */
static bool ends_parameter(const struct http_head_machine *machine, uint8_t byte)
{
	return machine->is_in_query ? byte == '&' || byte == '#'
				    : byte == '/' || byte == ';' || byte == '?' || byte == '#';
}

static void target_parameter(struct http_head_machine *machine, uint8_t byte, uint8_t *ret_class)
{
	if (machine->is_in_secret) {
		if (!ends_parameter(machine, byte)) {
			if (machine->value_length++ == 0)
				target_put_stars(machine);
			*ret_class = HTTP_BYTE_SECRET;
			return;
		}
		machine->is_in_secret = false;
	}
	if (byte == '?' || byte == '&' || byte == '#' || (byte == ';' && !machine->is_in_query)) {
		machine->is_in_parameters = machine->is_in_parameter_name = true;
		/* A fragment holds parameters like a query's where it holds any. */
		machine->is_in_query |= byte != ';';
		machine->name_length = 0;
	} else if (byte == '/' && !machine->is_in_query) {
		machine->is_in_parameter_name = false;
	} else if (machine->is_in_parameter_name && byte == '=') {
		machine->is_in_parameter_name = false;
		machine->is_in_secret = redact_is_secret_name(machine->name, machine->name_length);
		machine->value_length = 0;
	} else if (machine->is_in_parameter_name && machine->name_length < sizeof(machine->name)) {
		machine->name[machine->name_length++] = (char)byte;
	}
	target_put(machine, (char)byte);
}

enum http_head_step http_target_step(struct http_head_machine *machine, uint8_t byte, uint8_t *ret_class)
{
	if (byte == ' ') {
		if (machine->target_length == 0)
			return HTTP_HEAD_INVALID;
		machine->is_in_authority = machine->is_authority_hidden = false;
		machine->phase = HTTP_PHASE_VERSION;
		machine->line_length = 0;
		machine->value_length = machine->name_length = 0;
		return HTTP_HEAD_MORE;
	}
	if (byte < 0x21 || byte == 0x7f)
		return HTTP_HEAD_INVALID;
	if (machine->is_authority_hidden && !ends_authority(byte)) {
		*ret_class = HTTP_BYTE_SECRET;
		return HTTP_HEAD_MORE;
	}
	machine->is_authority_hidden = false;
	target_authority(machine, byte);
	/* What is between the authority's bytes means nothing: they may be hidden in the stored form. */
	if (machine->is_in_authority)
		target_put(machine, (char)byte);
	else
		target_parameter(machine, byte, ret_class);
	return HTTP_HEAD_MORE;
}

void http_target_path(const char *target, char *path)
{
	const char *from = target, *scheme = strstr(target, "://");
	size_t length;

	/* Absolute form: the scheme ends before any other separator. */
	if (scheme && target[0] != '/' && strcspn(target, "/?#") == (size_t)(scheme + 1 - target)) {
		from = scheme + 3;
		from += strcspn(from, "/?#");
	}
	length = strcspn(from, "?#");
	memcpy(path, from, length);
	path[length] = '\0';
	if (length == 0)
		strcpy(path, "/");
}
