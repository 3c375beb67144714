#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "parse/redact.h"

static void names(void **state)
{
	static const char *const secret[] = {"password",
					     "PASSWORD",
					     "spring.datasource.password",
					     "dbPasswd",
					     "passphrase",
					     "clientSecret",
					     "access_token",
					     "X-Api-Key",
					     "apiKey",
					     "APIKEY",
					     "privateKeyId",
					     "AWS_ACCESS_KEY_ID",
					     "key",
					     "ssh_keys",
					     "DB_PWD",
					     "keyStorePassword",
					     "X-Amz-Signature",
					     "sig",
					     "jsessionid",
					     "oauth",
					     "storepass",
					     "_auth",
					     "credentials",
					     "key2"};
	static const char *const plain[] = {
		"PWD",	      "OLDPWD", "keyboard",  "KEYSTORE",	"user", "passthrough",
		"design",     "config", "authority", "spring.profiles", "",	"Content-Length",
		"Keep-Alive", "Host",	"sign"};

	(void)state;
	for (size_t i = 0; i < array_length(secret); i++)
		if (!redact_is_secret_name(secret[i], strlen(secret[i])))
			fail_msg("%s", secret[i]);
	for (size_t i = 0; i < array_length(plain); i++)
		if (redact_is_secret_name(plain[i], strlen(plain[i])))
			fail_msg("%s", plain[i]);
	assert_true(redact_is_secret_header("Proxy-AUTHORIZATION", 19));
	assert_true(redact_is_secret_header("set-cookie", 10));
	assert_false(redact_is_secret_header("WWW-Authenticate", 16));
}

typedef char *redactor(const char *text);

static void check_all(redactor *redact, const char *const (*cases)[2], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		auto_free char *redacted = redact(cases[i][0]);

		assert_string_equal(redacted, cases[i][1]);
		/* What is redacted stays as it is. */
		auto_free char *again = redact(redacted);

		assert_string_equal(again, cases[i][1]);
	}
}

static void urls(void **state)
{
	static const char *const cases[][2] = {
		{"http://localhost:8080/a?b=c", "http://localhost:8080/a?b=c"},
		{"http://me:pw@host/a@b", "http://***@host/a@b"},
		{"https://user@host", "https://***@host"},
		{"http://a:p@ss@host/", "http://***@host/"},
		{"http://h/a?token=t&x=1&api_key=k#f", "http://h/a?token=***&x=1&api_key=***#f"},
		{"http://h/a?password=a;b,c d", "http://h/a?password=*** d"},
		{"http://h/a;jsessionid=12?x=1", "http://h/a;jsessionid=***"},
		{"http://h/a?token=", "http://h/a?token="},
		{"http://h/cb#access_token=abc&state=1", "http://h/cb#access_token=***&state=1"},
		{"jdbc:postgresql://h:5432/db?user=u&password=p", "jdbc:postgresql://h:5432/db?user=u&password=***"},
		{"jdbc:sqlserver://h;user=sa;password=p,1;encrypt=true",
		 "jdbc:sqlserver://h;user=sa;password=***;encrypt=true"},
		{"jdbc:oracle:thin:user/pw@h:1521:x", "jdbc:oracle:thin:***@h:1521:x"},
		{"mongodb://u:p@h1,h2/db", "mongodb://***@h1,h2/db"},
		{"see http://a:b@c and http://d:e@f", "see http://***@c and http://***@f"},
		{"://@", "://@"},
		{"", ""},
	};

	(void)state;
	check_all(redact_url, cases, array_length(cases));
}

static void headers(void **state)
{
	static const char *const cases[][2] = {
		{"Authorization: Basic abc", "Authorization: ***"},
		{"cookie:a=b", "cookie:***"},
		{"X-Auth-Token:   t", "X-Auth-Token:   ***"},
		{"Accept: text/html", "Accept: text/html"},
		{"Referer: http://h/?token=x", "Referer: http://h/?token=***"},
		{"Authorization:", "Authorization:"},
		{"nothing", "nothing"},
	};

	(void)state;
	check_all(redact_header, cases, array_length(cases));
}

static void variables(void **state)
{
	static const char *const cases[][2] = {
		{"DB_PASSWORD=x", "DB_PASSWORD=***"},
		{"DB_PASSWORD=", "DB_PASSWORD="},
		{"PWD=/home/me", "PWD=/home/me"},
		{"DATABASE_URL=postgres://u:p@h/db", "DATABASE_URL=postgres://***@h/db"},
		{"JAVA_TOOL_OPTIONS=-Xmx1g -Dapp.token=\"a b\" -Dx=y",
		 "JAVA_TOOL_OPTIONS=-Xmx1g -Dapp.token=*** -Dx=y"},
		{"CATALINA_OPTS=  --password p -Dz=1", "CATALINA_OPTS=  --password *** -Dz=1"},
		{"SPRING_APPLICATION_JSON={\"spring\": {\"password\" : \"a\\\"b\", \"user\":\"u\", \"key\": 12}}",
		 "SPRING_APPLICATION_JSON={\"spring\": {\"password\" : \"***\", \"user\":\"u\", \"key\": \"***\"}}"},
		{"NOTHING", "NOTHING"},
	};

	(void)state;
	check_all(redact_variable, cases, array_length(cases));
	assert_true(redact_is_runtime_variable("JAVA_HOME=/x"));
	assert_true(redact_is_runtime_variable("_JAVA_OPTIONS=x"));
	assert_true(redact_is_runtime_variable("MAVEN_OPTS=x"));
	assert_true(redact_is_runtime_variable("LD_PRELOAD=x"));
	assert_false(redact_is_runtime_variable("HOME=/x"));
	assert_false(redact_is_runtime_variable("X_OPTS_Y=JAVA"));
}

#define ARGUMENTS(before, after)                                                                                     \
	{                                                                                                            \
		before, sizeof(before), after, sizeof(after)                                                         \
	}

static void arguments(void **state)
{
	static const struct {
		const char *before;
		size_t before_length;
		const char *after;
		size_t after_length;
	} cases[] = {
		ARGUMENTS("java\0-jar\0app.jar", "java\0-jar\0app.jar"),
		ARGUMENTS("java\0--password=x y\0--other=z", "java\0--password=***\0--other=z"),
		ARGUMENTS("java\0--password\0x\0-v", "java\0--password\0***\0-v"),
		ARGUMENTS("java\0--password\0--verbose", "java\0--password\0--verbose"),
		ARGUMENTS("java\0-Dspring.datasource.password=a,b;c&d\0Main",
			  "java\0-Dspring.datasource.password=***\0Main"),
		ARGUMENTS("java\0-Dspring.datasource.url=jdbc:h2:mem?password=x",
			  "java\0-Dspring.datasource.url=jdbc:h2:mem?password=***"),
		ARGUMENTS("tool\0-p\0x", "tool\0-p\0x"), /* too short to mean a password */
		ARGUMENTS("keytool\0-storepass\0changeit", "keytool\0-storepass\0***"),
		ARGUMENTS("curl\0-H\0Authorization: Bearer x\0-u\0me:pw\0http://a:b@c/",
			  "curl\0-H\0Authorization: ***\0-u\0me:***\0http://***@c/"),
		ARGUMENTS("curl\0--header=Cookie: a=b\0--user=me:pw", "curl\0--header=Cookie: ***\0--user=me:***"),
		ARGUMENTS("env\0DB_TOKEN=x\0run", "env\0DB_TOKEN=***\0run"),
		ARGUMENTS("java\0-javaagent:a.jar=url=http://x,token=t,z=1",
			  "java\0-javaagent:a.jar=url=http://x,token=***,z=1"),
		ARGUMENTS("java\0-XX:+UseZGC\0-Djava.security.egd=file:/dev/urandom",
			  "java\0-XX:+UseZGC\0-Djava.security.egd=file:/dev/urandom"),
		ARGUMENTS("java\0-Dkey=\0x", "java\0-Dkey=\0x"),
		ARGUMENTS("java\0--secret\0", "java\0--secret\0"),
		ARGUMENTS("\0", "\0"),
	};

	(void)state;
	for (size_t i = 0; i < array_length(cases); i++) {
		size_t length;
		auto_free char *redacted = redact_arguments(cases[i].before, cases[i].before_length, &length);

		if (length != cases[i].after_length || memcmp(redacted, cases[i].after, length) != 0)
			fail_msg("case %zu", i);
	}

	/* Without the last NUL, and nothing at all. */
	size_t length;
	auto_free char *open_end = redact_arguments("a\0--token=b", 11, &length);

	assert_int_equal(length, 13);
	assert_memory_equal(open_end, "a\0--token=***", 13);

	auto_free char *nothing = redact_arguments("", 0, &length);

	assert_int_equal(length, 0);
	assert_non_null(nothing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),     cmocka_unit_test(urls),	  cmocka_unit_test(headers),
		cmocka_unit_test(variables), cmocka_unit_test(arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
