/* Any text with a secret put into it, in each of the forms that are promised: the secret must be gone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse/redact.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SECRET "hunter2hunter2"

static void must_not_hold(const char *text, size_t length, const char *what)
{
	if (!memmem(text, length, SECRET, strlen(SECRET)))
		return;
	fprintf(stderr, "%s still holds the secret\n", what);
	abort();
}

/* `noise` then `secret_form`; the caller frees. */
static char *joined(const char *noise, size_t noise_length, const char *secret_form, size_t form_length)
{
	char *text = malloc(noise_length + form_length + 1);

	memcpy(text, noise, noise_length);
	memcpy(text + noise_length, secret_form, form_length);
	text[noise_length + form_length] = '\0';
	return text;
}

static void check_text(const char *noise, const char *form)
{
	char *text = joined(noise, strlen(noise), form, strlen(form)), *redacted = redact_url(text);

	must_not_hold(redacted, strlen(redacted), form);
	free(redacted);
	free(text);
}

static void check_arguments(const char *noise, size_t noise_length, const char *form, size_t form_length)
{
	char *text = joined(noise, noise_length, form, form_length);
	size_t length;
	char *redacted = redact_arguments(text, noise_length + form_length, &length);

	must_not_hold(redacted, length, form);
	free(redacted);
	free(text);
}

#define ARGUMENTS(form) check_arguments(noise, size, "\0" form, sizeof(form))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *noise = malloc(size + 1), *redacted;

	memcpy(noise, data, size);
	noise[size] = '\0';
	/* No secret in the noise itself. */
	if (memmem(noise, size, SECRET, strlen(SECRET))) {
		free(noise);
		return 0;
	}
	check_text(noise, " http://user:" SECRET "@host/");
	check_text(noise, " http://host/?token=" SECRET);
	ARGUMENTS("--password=" SECRET);
	ARGUMENTS("-Dspring.datasource.password=" SECRET " " SECRET);
	ARGUMENTS("--client-secret\0" SECRET);
	ARGUMENTS("DB_PASSWORD=" SECRET ",;&" SECRET);
	ARGUMENTS("--header=Authorization: Bearer " SECRET);
	redacted = redact_variable(noise);
	free(redacted);
	redacted = redact_header(noise);
	free(redacted);
	redact_is_runtime_variable(noise);
	redact_is_secret_header(noise, size);
	free(noise);
	return 0;
}
