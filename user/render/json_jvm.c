/* The report's lists about the JVM: classes, compilations, methods, pauses, and threads by their role. */
#include "render/json_common.h"

static void put_sources(struct json_out *json, const struct report_classes *classes)
{
	json_put_maybe(json, "loaded", classes->loaded);
	json_out_key(json, "from");
	json_out_object_flat(json);
	json_put_maybe(json, "cds", classes->from_cds);
	json_put_maybe(json, "aot", classes->from_aot);
	json_put_maybe(json, "jar", classes->from_jar);
	json_put_maybe(json, "jrt", classes->from_jrt);
	json_put_maybe(json, "directory", classes->from_directory);
	json_put_maybe(json, "generated", classes->from_generated);
	json_put_maybe(json, "other", classes->from_other);
	json_out_object_end(json);
}

static void put_slowest(struct json_out *json, const struct report_classes *classes)
{
	json_out_key(json, "slowest");
	json_out_array(json);
	for (size_t i = 0; i < classes->slowest_count; i++) {
		const struct report_class *class = &classes->slowest[i];

		json_out_object_flat(json);
		json_put_text(json, "class", class->class_name);
		json_put_text(json, "phase", phase_name(class->phase));
		json_put_observed_text(json, "source", class->source);
		json_put_observed_text(json, "loader", class->loader);
		json_put_int(json, "duration_ns", class->duration_ns);
		json_put_observed_text(json, "requested_by", class->requested_by);
		if (class->loader_chain_count)
			json_put_texts(json, "loader_chain", class->loader_chain, class->loader_chain_count);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

static void put_groups(struct json_out *json, const char *key, const char *name_key,
		       const struct report_class_group *groups, size_t count)
{
	json_out_key(json, key);
	json_out_array(json);
	for (size_t i = 0; i < count; i++) {
		json_out_object_flat(json);
		json_put_text(json, name_key, groups[i].name);
		json_put_int(json, "classes", groups[i].classes);
		json_put_int(json, "duration_ns", groups[i].duration_ns);
		json_put_int(json, "first_request_classes", groups[i].cold_classes);
		json_put_int(json, "first_request_ns", groups[i].cold_ns);
		json_put_int(json, "warm_classes", groups[i].warm_classes);
		json_put_int(json, "warm_ns", groups[i].warm_ns);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

static void put_class_work(struct json_out *json, const struct report_classes *classes)
{
	json_out_key(json, "initializers");
	json_out_array(json);
	for (size_t i = 0; i < classes->initializers_count; i++) {
		const struct report_initializer *initializer = &classes->initializers[i];

		json_out_object_flat(json);
		json_put_text(json, "class", initializer->class_name);
		json_put_text(json, "phase", phase_name(initializer->phase));
		json_put_text(json, "thread", initializer->thread);
		json_put_int(json, "duration_ns", initializer->duration_ns);
		json_put_int(json, "own_ns", initializer->own_ns);
		json_out_object_end(json);
	}
	json_out_array_end(json);
	json_out_key(json, "generated");
	json_out_array(json);
	for (size_t i = 0; i < classes->generated_count; i++) {
		json_out_object_flat(json);
		json_put_text(json, "class", classes->generated[i].class_name);
		json_put_text(json, "kind", classes->generated[i].kind);
		json_put_text(json, "phase", phase_name(classes->generated[i].phase));
		json_put_int(json, "duration_ns", classes->generated[i].duration_ns);
		json_out_object_end(json);
	}
	json_out_array_end(json);
	json_out_key(json, "not_found");
	json_out_array(json);
	for (size_t i = 0; i < classes->not_found_count; i++) {
		json_out_object_flat(json);
		json_put_text(json, "class", classes->not_found[i].class_name);
		json_put_text(json, "phase", phase_name(classes->not_found[i].phase));
		json_put_int(json, "count", classes->not_found[i].count);
		json_put_int(json, "duration_ns", classes->not_found[i].duration_ns);
		json_put_observed_text(json, "requested_by", classes->not_found[i].requested_by);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

void json_put_classes(struct json_out *json, const struct report_classes *classes)
{
	json_out_key(json, "classes");
	json_out_object(json);
	put_sources(json, classes);
	put_slowest(json, classes);
	put_groups(json, "by_jar", "jar", classes->by_jar, classes->by_jar_count);
	put_groups(json, "by_package", "package", classes->by_package, classes->by_package_count);
	put_groups(json, "by_loader", "loader", classes->by_loader, classes->by_loader_count);
	put_class_work(json, classes);
	json_out_object_end(json);
}

static void put_compilations(struct json_out *json, const struct report *report)
{
	json_out_key(json, "compilations");
	json_out_array(json);
	for (size_t i = 0; i < report->compilations_count; i++) {
		const struct report_compilation *compilation = &report->compilations[i];

		json_out_object_flat(json);
		json_put_text(json, "compiler", compilation->compiler);
		json_put_text(json, "method", compilation->method);
		json_put_text(json, "signature", compilation->signature);
		json_put_text(json, "phase", phase_name(compilation->phase));
		json_put_int(json, "start_ns", compilation->start_ns);
		json_put_int(json, "duration_ns", compilation->duration_ns);
		json_put_maybe(json, "queue_wait_ns", compilation->queue_wait_ns);
		if (compilation->tier)
			json_put_int(json, "tier", compilation->tier);
		json_put_bool(json, "success", compilation->is_success);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

static void put_hot_methods(struct json_out *json, const struct report *report)
{
	json_out_key(json, "hot_methods");
	json_out_array(json);
	for (size_t i = 0; i < report->hot_methods_count; i++) {
		const struct report_hot_method *method = &report->hot_methods[i];

		json_out_object_flat(json);
		json_put_text(json, "method", method->method);
		json_put_text(json, "phase", phase_name(method->phase));
		json_put_int(json, "total_ns", method->total_ns);
		json_put_int(json, "interpreted_ns", method->interpreted_ns);
		json_put_int(json, "c1_ns", method->c1_ns);
		json_put_int(json, "c2_ns", method->c2_ns);
		json_put_int(json, "other_ns", method->other_ns);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

static void put_deoptimizations(struct json_out *json, const struct report *report)
{
	json_out_key(json, "deoptimizations");
	json_out_array(json);
	for (size_t i = 0; i < report->deoptimizations_count; i++) {
		const struct report_deoptimization *row = &report->deoptimizations[i];

		json_out_object_flat(json);
		json_put_observed_text(json, "method", row->method);
		json_put_text(json, "phase", phase_name(row->phase));
		json_put_observed_text(json, "reason", row->reason);
		json_put_observed_text(json, "action", row->action);
		json_put_int(json, "count", row->count);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

static void put_pause_causes(struct json_out *json, const struct report *report)
{
	json_out_key(json, "pause_causes");
	json_out_array(json);
	for (size_t i = 0; i < report->pause_causes_count; i++) {
		const struct report_pause_cause *cause = &report->pause_causes[i];

		json_out_object_flat(json);
		json_put_observed_text(json, "operation", cause->operation);
		json_put_text(json, "phase", phase_name(cause->phase));
		json_put_bool(json, "collection", cause->is_collection);
		json_put_int(json, "count", cause->count);
		json_put_int(json, "pause_ns", cause->pause_ns);
		json_put_int(json, "longest_ns", cause->longest_ns);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

void json_put_jvm_work(struct json_out *json, const struct report *report)
{
	if (report->jit_compilations.state == KNOWN)
		put_compilations(json, report);
	if (report->hot_methods_count)
		put_hot_methods(json, report);
	if (report->deoptimizations_count)
		put_deoptimizations(json, report);
	if (report->gc_safepoints.state == KNOWN)
		put_pause_causes(json, report);
}

void json_put_thread_roles(struct json_out *json, const struct report *report)
{
	json_out_key(json, "thread_roles");
	json_out_array(json);
	for (size_t i = 0; i < report->thread_roles_count; i++) {
		json_out_object_flat(json);
		json_put_text(json, "role", report->thread_roles[i].role);
		json_put_int(json, "threads", report->thread_roles[i].threads);
		json_put_maybe(json, "cpu_ns", report->thread_roles[i].cpu_ns);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}
