#include "analyze/inventory_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

/* libstdc++'s and libc++'s own, declared here because its header is C++. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

const char *class_name_dotted(struct arena *arena, const char *name)
{
	char *dotted = arena_copy(arena, name, strlen(name));
	char *address = class_is_hidden(name) ? strrchr(dotted, '+') : NULL;

	for (char *at = dotted; *at; at++) {
		if (*at == '/')
			*at = '.';
	}
	/* Class.getName() has a slash where the VM has the plus. */
	if (address)
		*address = '/';
	return dotted;
}

const char *type_name_demangled(struct arena *arena, const char *mangled)
{
	int status = -1;

	/* The compiler marks the name of a type that no other file can mean: libstdc++ then compares addresses, not names. */
	if (*mangled == '*')
		mangled++;

	auto_free char *name = *mangled ? __cxa_demangle(mangled, NULL, NULL, &status) : NULL;

	return status == 0 && name ? arena_copy(arena, name, strlen(name))
				   : arena_copy(arena, mangled, strlen(mangled));
}

bool class_is_hidden(const char *name)
{
	const char *plus = strrchr(name, '+');

	return plus && strncmp(plus, "+0x", 3) == 0;
}

bool class_name_is_generated(const char *name)
{
	static const char *const parts[] = {
		"$$Lambda",
		"LambdaForm$",
		"java/lang/invoke/BoundMethodHandle$Species_", /* the JDK's own */
		"GeneratedMethodAccessor",
		"GeneratedConstructorAccessor",
		"GeneratedSerializationConstructorAccessor",
		"$$EnhancerBy",
		"$$FastClassBy",
		"$$KeyFactoryBy",
		"CGLIB$$", /* CGLIB and its copies in Spring */
		"$ByteBuddy$",
		"$HibernateProxy$",
		"$HibernateInstantiator$",
		"$HibernateAccessOptimizer$",
		"$auxiliary$",
		"_$$_jvst",
		"_$$_javassist",
		"$MockitoMock$",
	};

	if (class_is_hidden(name))
		return true;
	for (size_t i = 0; i < array_length(parts); i++) {
		if (strstr(name, parts[i]))
			return true;
	}

	/* java.lang.reflect.Proxy: $Proxy and a number, in whatever package. */
	const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;

	return strncmp(base, "$Proxy", 6) == 0 && base[6] >= '0' && base[6] <= '9';
}

/* ---- stacks ---- */

uint32_t stack_lines(const struct model *model, uint64_t stack_id, struct frame_line *ret_lines, uint32_t most)
{
	uint32_t frame_count, count = 0;
	const struct stack_frame *frames = model_stack(model, stack_id, &frame_count, NULL);

	for (uint32_t i = 0; i < frame_count && count < most; i++) {
		struct frame_text texts[FRAME_TEXTS_MAX];
		uint32_t text_count = model_frame_names(model, &frames[i], texts);

		for (uint32_t k = 0; k < text_count && count < most; k++)
			ret_lines[count++] = (struct frame_line){
				.class_name = texts[k].class_name, .method = texts[k].method, .text = texts[k]};
	}
	return count;
}

const char *frame_line_text(struct arena *arena, const struct frame_line *line)
{
	const char *class_name = class_name_dotted(arena, line->class_name);
	const char *dot = *class_name ? "." : "";

	if (!*class_name)
		return arena_format(arena, "%s", line->method);
	if (!*line->text.file)
		return arena_format(arena, "%s%s%s", class_name, dot, line->method);
	if (line->text.line <= 0)
		return arena_format(arena, "%s%s%s(%s)", class_name, dot, line->method, line->text.file);
	return arena_format(arena, "%s%s%s(%s:%ld)", class_name, dot, line->method, line->text.file,
			    (long)line->text.line);
}

uint32_t thrower_of(const struct frame_line *lines, uint32_t count, const char *exception_class)
{
	uint32_t at = 0, constructors_end;

	while (at < count && strcmp(lines[at].method, "fillInStackTrace") == 0)
		at++;
	for (constructors_end = at;
	     constructors_end < count && strcmp(lines[constructors_end].method, "<init>") == 0;)
		constructors_end++;

	/* The exception's constructors end with its own class; what made it may itself be a constructor. */
	for (uint32_t i = at; i < constructors_end; i++) {
		if (strcmp(lines[i].class_name, exception_class) == 0) {
			while (i + 1 < constructors_end && strcmp(lines[i + 1].class_name, exception_class) == 0)
				i++;
			return i + 1;
		}
	}
	return constructors_end;
}

bool frame_is_loader(const struct frame_line *line)
{
	static const char *const methods[] = {
		"loadClass", "loadClassOrNull", "findClass", "findClassInModuleOrNull", "findClassOnClassPathOrNull",
	};

	/* Lookup.findClass asks for a class, too, in the name of its caller. */
	if (strncmp(line->class_name, "java/lang/invoke/", strlen("java/lang/invoke/")) == 0)
		return false;
	for (size_t i = 0; i < array_length(methods); i++) {
		if (strcmp(line->method, methods[i]) == 0)
			return true;
	}
	return false;
}
