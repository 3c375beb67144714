#include "analyze/span_title.h"

#include "analyze/inventory_internal.h"

static const char *class_title(const struct model *model, const char *what, const struct span *span,
			       struct arena *arena)
{
	return arena_format(arena, "%s %s", what, class_name_dotted(arena, model_text(model, span->name)));
}

static const char *file_title(const struct model *model, const char *what, const struct span *span,
			      struct arena *arena)
{
	bool has_event_path = span->kind == SPAN_FILE_OPEN || span->kind == SPAN_FILE_LOOKUP;
	const char *path = has_event_path ? model_event_path(model, span->event) : model_file_path(model, span->name);

	if (!*path)
		path = span->kind == SPAN_FILE_MAP ? "memory" : "(path not known)";
	return arena_format(arena, "%s %s", what, path);
}

static const char *fault_title(const struct model *model, const struct span *span, struct arena *arena)
{
	const char *path = span->name ? model_file_path(model, span->name) : "";

	return arena_format(arena, "%s page fault on %s%s%s", span->flags & SPAN_MAJOR ? "major" : "minor",
			    model_region_name((enum region_kind)span->region), *path ? ", " : "", path);
}

const char *span_title(const struct model *model, const struct span *span, struct arena *arena)
{
	switch ((enum span_kind)span->kind) {
	case SPAN_SYSCALL:
		return arena_format(arena, "system call %s",
				    model_call_name(model, MODEL_EVENT(model, span->event, syscall)->number));
	case SPAN_FILE_OPEN:
		return file_title(model, "open", span, arena);
	case SPAN_FILE_LOOKUP:
		return file_title(model, "look up", span, arena);
	case SPAN_FILE_READ:
		return file_title(model, "read", span, arena);
	case SPAN_FILE_WRITE:
		return file_title(model, "write", span, arena);
	case SPAN_FILE_MAP:
		return file_title(model, "map", span, arena);
	case SPAN_FAULT:
		return fault_title(model, span, arena);
	case SPAN_SOCKET_ACCEPT:
		return "system call accept";
	case SPAN_SOCKET_CONNECT:
		return "system call connect";
	case SPAN_SOCKET_READ:
		return "read from a socket";
	case SPAN_SOCKET_WRITE:
		return "write to a socket";
	case SPAN_INTERRUPT:
		return "interrupt";
	case SPAN_EXCEPTION:
		return class_title(model, "exception", span, arena);
	case SPAN_NATIVE_THROW:
		return arena_format(arena, "exception %s", type_name_demangled(arena, model_text(model, span->name)));
	case SPAN_CLASS_LOAD:
		return class_title(model, "load class", span, arena);
	case SPAN_CLASS_PARSE:
		return class_title(model, "parse class", span, arena);
	case SPAN_CLASS_LINK:
		return class_title(model, "link class", span, arena);
	case SPAN_CLASS_INIT:
		return class_title(model, "initialise class", span, arena);
	case SPAN_COMPILE:
		return class_title(model, "compile", span, arena);
	case SPAN_GC:
		return "collection";
	case SPAN_SAFEPOINT:
		return "safepoint";
	case SPAN_VM_OPERATION:
		return arena_format(arena, "VM operation %s", model_text(model, span->name));
	}
	return "";
}

enum flame_kind span_flame_kind(const struct span *span)
{
	switch ((enum span_kind)span->kind) {
	case SPAN_FILE_OPEN:
	case SPAN_FILE_LOOKUP:
	case SPAN_FILE_READ:
	case SPAN_FILE_WRITE:
	case SPAN_FILE_MAP:
		return FLAME_KIND_FILE;
	case SPAN_FAULT:
		return FLAME_KIND_FAULT;
	case SPAN_EXCEPTION:
	case SPAN_NATIVE_THROW:
		return FLAME_KIND_EXCEPTION;
	case SPAN_CLASS_LOAD:
	case SPAN_CLASS_PARSE:
	case SPAN_CLASS_LINK:
	case SPAN_CLASS_INIT:
		return FLAME_KIND_CLASS;
	case SPAN_COMPILE:
	case SPAN_GC:
	case SPAN_SAFEPOINT:
	case SPAN_VM_OPERATION:
		return FLAME_KIND_VM;
	default:
		return FLAME_KIND_KERNEL;
	}
}
