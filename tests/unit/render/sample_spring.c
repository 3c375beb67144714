#include <string.h>

#include "base/auto.h"
#include "unit/render/sample.h"

#define MS 1000000ll
#define SECOND 1000000000ll

static const char *const command[] = {"java", "-jar", "petclinic-rest.jar", "--spring.datasource.password=***"};

static const struct report_observed observed[] = {
	{"scheduling", "yes", NULL},
	{"page_faults", "yes", NULL},
	{"file_opens", "yes", NULL},
	{"exceptions", "yes", NULL},
	{"class_loading", "yes", NULL},
	{"class_find", "yes", NULL},
	{"sockets", "yes", NULL},
	{"arrival", "yes", NULL},
	{"gc", "yes", NULL},
	{"jit", "yes", NULL},
	{"interrupts", "partly", "this kernel does not account interrupt time"},
	{"native_exceptions", "no", "no mapped file has the C++ runtime's symbols"},
};

static const struct named_value events[] = {{"class_load", 18031}, {"exception", 14727},  {"fault", 153212},
					    {"file_open", 200},	   {"switch_out", 24273}, {"syscall", 61008}};

static const struct report_milestone milestones[] = {
	{"exec", "", 0, false},
	{"vm_created", "", 41 * MS, false},
	{"main_class", "org.springframework.boot.loader.launch.JarLauncher", 309 * MS, false},
	{"listening", "0.0.0.0:8080", 8714 * MS, false},
	{"ready", "epoll_wait", 8902 * MS, false},
	{"first_arrival", "127.0.0.1:51234", 9021 * MS, false},
	{"first_response", "", 9021 * MS + 434127418, false},
	{"exit", "", 12140 * MS, false},
};

static struct counts counts(int64_t opens, int64_t failed_lookups, int64_t reads, int64_t jar_reads, int64_t faults,
			    int64_t major, int64_t exceptions, int64_t classes, int64_t threads, int64_t compilations)
{
	struct counts result = {};

	for (int i = 0; i < COUNT_COUNT; i++)
		result.of[i] = known(0);
	result.of[COUNT_OPENS] = known(opens);
	result.of[COUNT_FAILED_OPENS] = known(opens / 3);
	result.of[COUNT_LOOKUPS] = known(failed_lookups * 2);
	result.of[COUNT_FAILED_LOOKUPS] = known(failed_lookups);
	result.of[COUNT_READS] = known(reads);
	result.of[COUNT_JAR_READS] = known(jar_reads);
	result.of[COUNT_MINOR_FAULTS] = known(faults);
	result.of[COUNT_MAJOR_FAULTS] = known(major);
	result.of[COUNT_EXCEPTIONS] = known(exceptions);
	result.of[COUNT_CLASSES_LOADED] = known(classes);
	result.of[COUNT_CLASSES_INITIALIZED] = known(classes * 3 / 4);
	result.of[COUNT_THREADS_STARTED] = known(threads);
	result.of[COUNT_CONTEXT_SWITCHES] = known(compilations * 4);
	result.of[COUNT_COMPILATIONS] = known(compilations);
	return result;
}

static void add_phases(struct report *report)
{
	const struct report_phase phases[] = {
		{PHASE_LAUNCH, 0, 41 * MS, known(38 * MS), counts(23, 12, 18, 2, 1204, 3, 0, 0, 1, 0)},
		{PHASE_VM_INIT, 41 * MS, 309 * MS, known(402 * MS),
		 counts(19, 44, 61, 12, 8120, 5, 12, 1462, 14, 122)},
		{PHASE_STARTUP, 309 * MS, 8902 * MS, known(14900 * MS),
		 counts(142, 1890, 27604, 27411, 128440, 11, 14011, 15203, 31, 6120)},
		{PHASE_IDLE, 8902 * MS, 9021 * MS, known(88 * MS), counts(0, 0, 0, 0, 310, 0, 0, 0, 0, 41)},
		{PHASE_FIRST_REQUEST, 9021 * MS, 9021 * MS + 434127418, known(836 * MS),
		 counts(12, 31, 913, 902, 9321, 7, 687, 1147, 2, 402)},
		{PHASE_WARM, 9021 * MS + 434127418, 12020 * MS, known(2100 * MS),
		 counts(4, 0, 12, 0, 5410, 0, 17, 219, 0, 1301)},
		{PHASE_SHUTDOWN, 12020 * MS, 12140 * MS, known(61 * MS), counts(0, 0, 0, 0, 407, 0, 0, 0, 1, 0)},
	};
	struct report_phase *copy = arena_array(&report->arena, struct report_phase, array_length(phases));

	memcpy(copy, phases, sizeof(phases));
	report->phases = copy;
	report->phases_count = array_length(phases);
}

/* They add up to 434,127,418. By group: class 189,387,012; code 153,299,780; cpu 31,208,440; fault 24,468,534;
 * exception 17,205,633; file 4,463,576; gc 4,318,220; lock 4,261,233; kernel 1,723,018; safepoint 1,207,735;
 * unexplained 2,584,237. */
static const struct {
	enum cause cause;
	int64_t cold_ns, warm_ns;
	bool is_estimated;
} causes[] = {
	{CAUSE_CODE_INTERPRETED, 88412300, 900120, true},
	{CAUSE_CODE_C1, 31205118, 4210331, true},
	{CAUSE_CODE_C2, 2904000, 5902440, true},
	{CAUSE_CODE_NATIVE_METHOD, 3117450, 0, true},
	{CAUSE_CODE_VM, 21640912, 310200, true},
	{CAUSE_CODE_UNSPLIT, 6020000, 480000, false},
	{CAUSE_CLASS_FIND, 74318204, 0, false},
	{CAUSE_CLASS_READ, 41902771, 0, false},
	{CAUSE_CLASS_PARSE, 38276640, 0, false},
	{CAUSE_CLASS_LINK, 22118305, 0, false},
	{CAUSE_CLASS_INIT, 12771092, 0, false},
	{CAUSE_EXCEPTION_FILL, 17205633, 0, false},
	{CAUSE_FILE_OPEN, 402113, 0, false},
	{CAUSE_FILE_LOOKUP, 1033207, 0, false},
	{CAUSE_FILE_READ, 2208910, 0, false},
	{CAUSE_FILE_MAP, 731226, 0, false},
	{CAUSE_FILE_CLOSE, 88120, 0, false},
	{CAUSE_GC_PAUSE, 4318220, 0, false},
	{CAUSE_SAFEPOINT_WAIT, 1207735, 0, false},
	{CAUSE_LOCK_MONITOR, 1920332, 0, false},
	{CAUSE_LOCK_VM, 2340901, 55000, false},
	{CAUSE_CPU_RUNNABLE, 31208440, 612300, false},
	{CAUSE_KERNEL_SYSCALL, 1320118, 402118, false},
	{CAUSE_KERNEL_INTERRUPT, 402900, 60300, false},
	{CAUSE_UNEXPLAINED, 2584237, 339988, false},
	{(enum cause)(CAUSE_FAULT_MINOR + MAPPING_HEAP), 6110229, 210118, false},
	{(enum cause)(CAUSE_FAULT_MINOR + MAPPING_METASPACE), 4902118, 0, false},
	{(enum cause)(CAUSE_FAULT_MINOR + MAPPING_CODE_CACHE), 1204550, 0, false},
	{(enum cause)(CAUSE_FAULT_MINOR + MAPPING_MALLOC), 2711003, 0, false},
	{(enum cause)(CAUSE_FAULT_MINOR + MAPPING_CLASS_SPACE), 610222, 0, false},
	{(enum cause)(CAUSE_FAULT_MAJOR + MAPPING_JAR), 8930412, 0, false},
};

static const struct named_value inclusive[] = {
	{"class_loading", 241 * MS},
	{"loader org.springframework.boot.loader.launch.LaunchedClassLoader", 212 * MS},
	{"exception", 18 * MS},
};

static const int64_t warm_ms10[] = {612, 301, 244, 221, 190, 188, 171, 160, 158, 149, 151, 140, 139, 144, 138,
				    135, 136, 133, 131, 140, 129, 132, 134, 135, 139, 118, 128, 194, 133, 132};

static void add_requests(struct report *report)
{
	static const struct sample_piece pieces[] = {
		{CAUSE_UNEXPLAINED, 120400, "http-nio-8080-Poller", "until the poller saw the bytes"},
		{CAUSE_CPU_RUNNABLE, 9102211, "http-nio-8080-exec-1", "C2 CompilerThread0 ran instead"},
		{CAUSE_CODE_INTERPRETED, 22044100, "http-nio-8080-exec-1", "DispatcherServlet.initStrategies"},
		{CAUSE_CLASS_FIND, 21400810, "http-nio-8080-exec-1",
		 "tools.jackson.databind.ser.BeanSerializerFactory"},
		{CAUSE_CLASS_READ, 11230771, "http-nio-8080-exec-1",
		 "/srv/app/petclinic-rest.jar!/BOOT-INF/lib/jackson-databind-3.1.4.jar!/tools/jackson/databind/ser/"
		 "std/StdSerializers.class"},
		{CAUSE_CLASS_PARSE, 9276640, "http-nio-8080-exec-1", "tools.jackson.databind.ObjectMapper"},
		{CAUSE_CLASS_FIND, 18318204, "http-nio-8080-exec-1", "org.hibernate.query.sqm.internal.SqmQueryImpl"},
		{CAUSE_CODE_INTERPRETED, 14012300, "http-nio-8080-exec-1", "SqmQueryImpl.<init>"},
		{CAUSE_CLASS_READ, 17302000, "http-nio-8080-exec-1",
		 "/srv/app/petclinic-rest.jar!/BOOT-INF/lib/hibernate-core-7.2.19.Final.jar!/org/hibernate/query/sqm/"
		 "tree/SqmNode.class"},
		{CAUSE_CLASS_FIND, 16118000, "http-nio-8080-exec-1", "org.hibernate.sql.exec.spi.JdbcSelectExecutor"},
		{(enum cause)(CAUSE_FAULT_MAJOR + MAPPING_JAR), 8930412, "http-nio-8080-exec-1",
		 "/srv/app/petclinic-rest.jar"},
		{CAUSE_GC_PAUSE, 4318220, "http-nio-8080-exec-1", "G1 young collection; woken by VM Thread"},
		{CAUSE_CLASS_PARSE, 15208000, "http-nio-8080-exec-1", "org.hibernate.dialect.H2Dialect"},
		{CAUSE_LOCK_MONITOR, 1920332, "http-nio-8080-exec-1", "held by HikariPool-1 housekeeper"},
		{CAUSE_CODE_INTERPRETED, 21204000, "http-nio-8080-exec-1", "AbstractStandardSpringELUtils.parse"},
		{CAUSE_CPU_RUNNABLE, 12401000, "http-nio-8080-exec-1", "C1 CompilerThread0 ran instead"},
		{CAUSE_CODE_C1, 14102118, "HikariPool-1 connection adder", "org.h2.engine.SessionLocal.prepareLocal"},
		{CAUSE_CODE_INTERPRETED, 13204000, "http-nio-8080-exec-1", "OwnerRestController.listOwners"},
		{CAUSE_CLASS_LINK, 13118305, "http-nio-8080-exec-1", "tools.jackson.core.json.UTF8JsonGenerator"},
		{CAUSE_CODE_VM, 12640912, "http-nio-8080-exec-1", "MethodHandles::resolve_MemberName"},
		{CAUSE_CLASS_INIT, 9771092, "http-nio-8080-exec-1", "org.hibernate.type.StandardBasicTypes"},
		{CAUSE_EXCEPTION_FILL, 9205633, "http-nio-8080-exec-1",
		 "java.lang.ClassNotFoundException, 143 frames"},
		{CAUSE_CODE_INTERPRETED, 8204000, "http-nio-8080-exec-1", "BeanSerializer.serialize"},
		{CAUSE_CLASS_PARSE, 8204000, "http-nio-8080-exec-1", "org.h2.command.query.Select"},
		{CAUSE_CODE_C1, 8203000, "http-nio-8080-exec-1", "java.lang.String.hashCode"},
		{CAUSE_CLASS_FIND, 9203000, "http-nio-8080-exec-1", "org.h2.expression.ExpressionColumn"},
	};
	struct report_request *requests =
		arena_array(&report->arena, struct report_request, array_length(warm_ms10) + 1);
	struct report_cold_vs_warm *pair = arena_new(&report->arena, struct report_cold_vs_warm);
	struct report_request *cold = &requests[0];
	int64_t warm_causes[CAUSE_COUNT] = {}, at = 9500 * MS;

	*cold = (struct report_request){
		.index = 0,
		.is_cold = true,
		.method = "GET",
		.route = "/api/owners",
		.protocol = "http/1.1",
		.status = known(200),
		.start_ns = 9021 * MS,
		.latency_ns = 434127418,
		.client_latency_ns = known(434902117),
		.client_name_ns = known(40211),
		.client_connect_ns = known(181006),
		.client_tls_ns = none(),
		.client_wait_ns = known(434510880),
		.client_receive_ns = known(170020),
		.inclusive = inclusive,
		.inclusive_count = array_length(inclusive),
		.counts = counts(12, 31, 913, 902, 9321, 7, 687, 1147, 2, 402),
	};
	for (size_t i = 0; i < array_length(causes); i++) {
		cold->causes[causes[i].cause] = causes[i].cold_ns;
		cold->cause_is_estimated[causes[i].cause] = causes[i].is_estimated;
		warm_causes[causes[i].cause] = causes[i].warm_ns;
	}
	sample_path(report, cold, "http-nio-8080-exec-1", pieces, array_length(pieces));
	for (size_t i = 0; i < array_length(warm_ms10); i++) {
		struct report_request *warm = &requests[i + 1];

		*warm = (struct report_request){
			.index = (int64_t)i + 1,
			.method = "GET",
			.route = "/api/owners",
			.protocol = "http/1.1",
			.status = known(200),
			.start_ns = at,
			.latency_ns = warm_ms10[i] * MS / 10,
			.client_latency_ns = known(warm_ms10[i] * MS / 10 + 210000),
			.counts = counts(0, 0, 0, 0, i < 20 ? 190 - 8 * (int64_t)i : 21, 0, i < 2 ? 4 : 0,
					 i < 10 ? 20 - 2 * (int64_t)i : 0, 0, i < 25 ? 25 - (int64_t)i : 0),
		};
		warm->causes[CAUSE_CODE_C2] = warm->latency_ns;
		at += warm->latency_ns + MS;
	}
	report->requests = requests;
	report->requests_count = array_length(warm_ms10) + 1;

	*pair = (struct report_cold_vs_warm){
		.route = "GET /api/owners",
		.warm_median_ns = 13450000,
		.warm_min_ns = 11800000,
		.warm_max_ns = 19400000,
		.cold_tracing_ns = 38700000,
		.warm_tracing_ns = 412000,
		.warm_count = 20,
	};
	sample_pair(report, pair, cold, warm_causes);
	report->cold_vs_warm = pair;
	report->cold_vs_warm_count = 1;
}

static const struct report_route routes[] = {
	{"GET /api/owners", 31, 0, 13900000, 61200000, 434127418, 434127418, 10.3, {KNOWN, 16}},
};

static const struct report_what_if what_ifs[] = {
	{"the nested-jar loader's own work", 297 * MS},
	{"runnable time lost to other threads", 403 * MS},
	{"stack traces filled", 417 * MS},
	{"reads from disk", 425 * MS},
};

static const char *const not_found_stack[] = {
	"java.lang.ClassNotFoundException.<init>(ClassNotFoundException.java:65)",
	"java.net.URLClassLoader.findClass(URLClassLoader.java:445)",
	"org.springframework.boot.loader.launch.LaunchedClassLoader.loadClass(LaunchedClassLoader.java:91)",
};

static const struct report_exception exceptions[] = {
	{"java.lang.ClassNotFoundException",
	 PHASE_STARTUP,
	 12702,
	 {KNOWN, 318 * MS},
	 {KNOWN, 318 * MS},
	 "jdk.internal.loader.BuiltinClassLoader.loadClass(BuiltinClassLoader.java:580)",
	 "org.springframework.boot.loader.launch.LaunchedClassLoader.loadClass(LaunchedClassLoader.java:91)",
	 not_found_stack,
	 3},
	{"java.lang.ClassNotFoundException",
	 PHASE_FIRST_REQUEST,
	 622,
	 {KNOWN, 15905633},
	 {KNOWN, 15905633},
	 "jdk.internal.loader.BuiltinClassLoader.loadClass(BuiltinClassLoader.java:580)",
	 "org.springframework.boot.loader.launch.LaunchedClassLoader.loadClass(LaunchedClassLoader.java:91)",
	 not_found_stack,
	 3},
	{"java.lang.NoSuchMethodException",
	 PHASE_STARTUP,
	 1309,
	 {KNOWN, 21 * MS},
	 {KNOWN, 21 * MS},
	 "java.lang.Class.getDeclaredMethod(Class.java:2848)",
	 "",
	 NULL,
	 0},
	{"java.lang.NoSuchFieldError", PHASE_FIRST_REQUEST, 65, {KNOWN, 1300000}, {KNOWN, 1300000}, "", "", NULL, 0},
	{"java.lang.ClassNotFoundException", PHASE_WARM, 17, {ABSENT, 0}, {ABSENT, 0}, "", "", NULL, 0},
	{"java.lang.NumberFormatException",
	 PHASE_VM_INIT,
	 12,
	 {KNOWN, 90000},
	 {KNOWN, 90000},
	 "java.lang.Integer.parseInt(Integer.java:652)",
	 "",
	 NULL,
	 0},
};

static const char *const loader_chain[] = {"org.springframework.boot.loader.launch.LaunchedClassLoader",
					   "jdk.internal.loader.BuiltinClassLoader"};
static const struct report_class slowest[] = {
	{"tools.jackson.databind.ObjectMapper", PHASE_FIRST_REQUEST,
	 "petclinic-rest.jar!/BOOT-INF/lib/jackson-databind-3.1.4.jar", "LaunchedClassLoader", 31204112,
	 "org.springframework.http.converter.json.JacksonJsonHttpMessageConverter.<init>("
	 "JacksonJsonHttpMessageConverter.java:61)",
	 loader_chain, array_length(loader_chain)},
	{"org.hibernate.query.sqm.internal.SqmQueryImpl", PHASE_FIRST_REQUEST,
	 "petclinic-rest.jar!/BOOT-INF/lib/hibernate-core-7.2.19.Final.jar", "LaunchedClassLoader", 22104000,
	 "org.hibernate.internal.AbstractSharedSessionContract.createQuery(AbstractSharedSessionContract.java:811)",
	 NULL, 0},
	{"org.h2.command.dml.Select", PHASE_STARTUP, "petclinic-rest.jar!/BOOT-INF/lib/h2-2.4.240.jar",
	 "LaunchedClassLoader", 11020000, "", NULL, 0},
	{"java.util.concurrent.ForkJoinPool", PHASE_VM_INIT, "", "", 820000, "", NULL, 0},
};

static const struct report_class_group by_jar[] = {
	{"petclinic-rest.jar!/BOOT-INF/lib/hibernate-core-7.2.19.Final.jar", 4811, 1802 * MS, 202, 61 * MS, 0, 0},
	{"petclinic-rest.jar!/BOOT-INF/lib/spring-core-7.0.8.jar", 1204, 402 * MS, 8, 1 * MS, 1, 21000},
	{"petclinic-rest.jar!/BOOT-INF/lib/jackson-databind-3.1.4.jar", 604, 188 * MS, 107, 38 * MS, 0, 0},
};

static const struct report_class_group by_package[] = {
	{"org.hibernate.query.sqm.tree", 412, 181 * MS, 61, 22 * MS, 0, 0},
	{"tools.jackson.databind", 188, 62 * MS, 90, 31 * MS, 0, 0},
};
static const struct report_class_group by_loader[] = {
	{"org.springframework.boot.loader.launch.LaunchedClassLoader", 14799, 2600 * MS, 811, 131 * MS, 1, 113000},
	{"boot", 2933, 64 * MS, 271, 28 * MS, 0, 0},
	{"(not known)", 299, 11 * MS, 26, 278000, 11, 0},
};
static const struct report_initializer initializers[] = {
	{"org.hibernate.boot.models.JpaAnnotations", "main", PHASE_STARTUP, 39 * MS, 38 * MS},
	{"tools.jackson.databind.util.StdDateFormat", "http-nio-8080-exec-1", PHASE_FIRST_REQUEST, 19 * MS, 17 * MS},
};
static const struct report_generated_class generated[] = {
	{"jdk.proxy2.$Proxy154", "proxy", PHASE_STARTUP, 13 * MS},
	{"com.example.Owner$HibernateProxy$a1", "Byte Buddy", PHASE_FIRST_REQUEST, 4 * MS},
};
static const struct report_class_not_found not_found[] = {
	{"kotlin.coroutines.Continuation", "org.springframework.util.ClassUtils.forName(ClassUtils.java:308)",
	 PHASE_STARTUP, 2, 3 * MS},
	{"org.osgi.framework.FrameworkUtil", "", PHASE_STARTUP, 1, 800000},
};
static const struct report_compilation compilations[] = {
	{"C2",
	 "org.springframework.core.ResolvableType.equals",
	 "(Ljava/lang/Object;)Z",
	 PHASE_WARM,
	 7120 * MS,
	 17 * MS,
	 {KNOWN, 12 * MS},
	 4,
	 true},
	{"C1",
	 "jdk.internal.util.xml.impl.Parser.attr",
	 "()V",
	 PHASE_FIRST_REQUEST,
	 6960 * MS,
	 3 * MS,
	 {ABSENT, 0},
	 0,
	 false},
};
static const struct report_hot_method hot_methods[] = {
	{"java.lang.ClassLoader.defineClass1", PHASE_FIRST_REQUEST, 22 * MS, 0, 0, 0, 22 * MS},
	{"java.util.HashMap.getNode", PHASE_FIRST_REQUEST, 8 * MS, 5 * MS, 2 * MS, 1 * MS, 0},
	{"java.util.HashMap.getNode", PHASE_WARM, 4 * MS, 0, 1 * MS, 3 * MS, 0},
};
static const struct report_throw throws[] = {
	{"org.h2.message.DbException$Fast", PHASE_FIRST_REQUEST, 17, "org.h2.table.Table.find(Table.java:41)", false},
	{"java.lang.StackOverflowError", PHASE_STARTUP, 1, "", true},
};
static const struct report_deoptimization deoptimizations[] = {
	{"java.util.HashMap.putVal(HashMap.java:637)", PHASE_FIRST_REQUEST, "unstable_if", "reinterpret", 3},
	{"org.h2.util.StringUtils.toUpperEnglish(StringUtils.java:82)", PHASE_FIRST_REQUEST, "class_check",
	 "maybe_recompile", 1},
	{"", PHASE_WARM, "", "", 2},
	{"java.util.zip.ZipUtils.CENSIG(ZipUtils.java:190)", PHASE_STARTUP, "null_check", "make_not_entrant", 7},
};
static const struct report_pause_cause pause_causes[] = {
	{"G1CollectForAllocation", PHASE_STARTUP, true, 8, 52 * MS, 9 * MS},
	{"", PHASE_FIRST_REQUEST, false, 3, 400000, 200000},
};
static const struct report_thread_role thread_roles[] = {
	{"main", 1, {KNOWN, 4970 * MS}},
	{"c2", 2, {KNOWN, 3899 * MS}},
};

static const struct report_jar_entry entries_of_hibernate[] = {
	{.name = "META-INF/LICENSE.txt",
	 .bytes = 3800,
	 .unpacked_bytes = 11358,
	 .is_compressed = true,
	 .reads = 58,
	 .bytes_read = 214000,
	 .class_name = "",
	 .requested_by = "",
	 .phase_reads = {[PHASE_STARTUP] = 58},
	 .phase_bytes = {[PHASE_STARTUP] = 214000}},
	{.name = "org/hibernate/query/sqm/tree/select/SqmSelectStatement.class",
	 .bytes = 9120,
	 .unpacked_bytes = 22012,
	 .is_compressed = true,
	 .reads = 5,
	 .bytes_read = 31000,
	 .bytes_wanted = 9210,
	 .rereads = 1,
	 .class_name = "org.hibernate.query.sqm.tree.select.SqmSelectStatement",
	 .requested_by = "org.hibernate.query.sqm.internal.SqmCriteriaNodeBuilder",
	 .wanted_phases = 1u << PHASE_STARTUP | 1u << PHASE_FIRST_REQUEST,
	 .phase_reads = {[PHASE_STARTUP] = 4, [PHASE_FIRST_REQUEST] = 1},
	 .phase_bytes = {[PHASE_STARTUP] = 21790, [PHASE_FIRST_REQUEST] = 9210}},
};

static const struct report_jar jars[] = {
	{.path = "/srv/app/petclinic-rest.jar",
	 .size = {KNOWN, 59556566},
	 .open_ns = {KNOWN, 1200000},
	 .bytes_touched = {KNOWN, 39082521},
	 .directory_reads = {KNOWN, 235},
	 .is_unused = {KNOWN, 0},
	 .opens = {KNOWN, 4},
	 .reads = {KNOWN, 29283},
	 .bytes_read = {KNOWN, 297512960},
	 .bytes_wanted = {KNOWN, 24793000},
	 .entries_total = {KNOWN, 204},
	 .entries_read = {KNOWN, 79},
	 .entries_reread = {KNOWN, 61},
	 .phases = {[PHASE_STARTUP] = {28100, 285000000, 79}, [PHASE_FIRST_REQUEST] = {902, 9230000, 38}}},
	{.path = "BOOT-INF/lib/hibernate-core-7.2.19.Final.jar",
	 .nested_in = "/srv/app/petclinic-rest.jar",
	 .size = {KNOWN, 13240112},
	 .bytes_touched = {KNOWN, 9400000},
	 .directory_reads = {KNOWN, 3},
	 .is_unused = {KNOWN, 0},
	 .entries = entries_of_hibernate,
	 .entries_count = 2,
	 .opens = {NONE, 0},
	 .reads = {KNOWN, 9120},
	 .bytes_read = {KNOWN, 93388800},
	 .bytes_wanted = {KNOWN, 9100000},
	 .entries_total = {KNOWN, 7201},
	 .entries_read = {KNOWN, 4890},
	 .entries_reread = {KNOWN, 122},
	 .phases = {[PHASE_STARTUP] = {8800, 90112000, 4702}, [PHASE_FIRST_REQUEST] = {320, 3276800, 188}}},
	{.path = "BOOT-INF/lib/jaxb-runtime-4.0.9.jar",
	 .nested_in = "/srv/app/petclinic-rest.jar",
	 .size = {KNOWN, 920112},
	 .bytes_touched = {KNOWN, 11000},
	 .directory_reads = {KNOWN, 2},
	 .is_unused = {KNOWN, 1},
	 .opens = {NONE, 0},
	 .reads = {KNOWN, 2},
	 .bytes_read = {KNOWN, 20480},
	 .bytes_wanted = {KNOWN, 11000},
	 .entries_total = {KNOWN, 611},
	 .entries_read = {KNOWN, 0},
	 .entries_reread = {KNOWN, 0},
	 .phases = {[PHASE_STARTUP] = {2, 20480, 0}}},
};

static const struct report_fault_file fault_files[] = {
	{"/usr/lib/jvm/jdk-25/lib/server/classes.jsa", MAPPING_CDS, "read-only", 1400, 12, {KNOWN, 9100000}},
	{"/usr/lib/jvm/jdk-25/lib/server/libjvm.so", MAPPING_LIBRARY, "text", 420, 14, {KNOWN, 4200000}},
	{"/usr/lib/jvm/jdk-25/lib/server/libjvm.so", MAPPING_LIBRARY, "bss", 90, 0, {KNOWN, 210000}},
};

static const struct report_search searches[] = {
	{"/srv/app/config", "*", "configuration", 64, 40, 310000, {[PHASE_STARTUP] = 64}},
	{"/usr/lib/jvm/jdk-25/lib", "lib*.so", "library path", 12, 7, 20100, {[PHASE_STARTUP] = 9, [PHASE_FIRST_REQUEST] = 3}},
	{"/etc", "localtime", "time zone", 2, 1, 4100, {[PHASE_WARM] = 2}},
};

static const struct report_cached_file cached_files[] = {
	{"/srv/app/petclinic-rest.jar", {KNOWN, 59559936}, {KNOWN, 1048576}, {KNOWN, 52428800}, 0, 61 * MS, {KNOWN, 12297703}},
	{"/usr/lib/jvm/jdk-25/lib/server/libjvm.so", {KNOWN, 29802496}, {KNOWN, 29802496}, {KNOWN, 29802496}, 26, 11 * MS, {ABSENT, 0}},
	{"/usr/lib/locale/C.utf8/LC_CTYPE", {ABSENT, 0}, {ABSENT, 0}, {ABSENT, 0}, 1, 200000, {ABSENT, 0}},
};

static const char *const jars_of_logger[] = {"/srv/app/petclinic-rest.jar!/BOOT-INF/lib/jcl-over-slf4j-2.0.17.jar",
					      "/srv/app/petclinic-rest.jar!/BOOT-INF/lib/spring-jcl-7.0.8.jar"};

static const struct report_duplicate duplicates[] = {
	{"org.apache.commons.logging.LogFactory",
	 "jar:/srv/app/petclinic-rest.jar!/BOOT-INF/lib/jcl-over-slf4j-2.0.17.jar", jars_of_logger, 2},
};

static const struct report_file files[] = {
	{"/srv/app/petclinic-rest.jar", 4, 0, 31, 0, 29283, 297512960, 402 * MS},
	{"/usr/lib/jvm/temurin-25/lib/modules", 1, 0, 2, 0, 0, 0, 122000},
	{"/srv/app/config/application.properties", 0, 6, 12, 12, 0, 0, 210000},
	{"/etc/hosts", 1, 0, 1, 0, 2, 221, 31000},
	{"/proc/sys/kernel/random/boot_id", 1, 0, 0, 0, 1, 37, 9000},
	{"/tmp/tomcat.8080.1234567890/work/Tomcat/localhost/ROOT", 0, 1, 3, 3, 0, 0, 8000},
};

static const struct report_fault_kind faults[] = {
	{MAPPING_HEAP, 60120, 0, {KNOWN, 102 * MS}},  {MAPPING_METASPACE, 31044, 0, {KNOWN, 58 * MS}},
	{MAPPING_MALLOC, 42044, 0, {KNOWN, 70 * MS}}, {MAPPING_JAR, 4, 19, {KNOWN, 21 * MS}},
	{MAPPING_LIBRARY, 20000, 7, {ABSENT, 0}},
};

static const struct report_thread threads[] = {
	{4711, 4711, "java", "native", 0, {KNOWN, 12140 * MS}, {KNOWN, 2 * MS}},
	{4711, 4712, "main", "main", 12 * MS, {KNOWN, 8910 * MS}, {KNOWN, 6204 * MS}},
	{4711, 4720, "C2 CompilerThread0", "c2", 40 * MS, {KNOWN, 12140 * MS}, {KNOWN, 6402 * MS}},
	{4711, 4760, "http-nio-8080-exec-1", "request", 8600 * MS, {NONE, 0}, {KNOWN, 410 * MS}},
};

static const struct report_memory_kind at_ready[] = {
	{MAPPING_HEAP, 2063597568, 130023424, 121634816, 0},
	{MAPPING_METASPACE, 1140850688, 92274688, 91226112, 0},
	{MAPPING_CODE_CACHE, 251658240, 25165824, 24117248, 0},
	{MAPPING_LIBRARY, 41943040, 41943040, 22020096, 0},
};
static const struct report_memory_kind at_warm[] = {
	{MAPPING_HEAP, 2063597568, 142606336, 135266304, 50331648},
	{MAPPING_METASPACE, 1140850688, 99614720, 98566144, 0},
	{MAPPING_CODE_CACHE, 251658240, 35651584, 34603008, 0},
	{MAPPING_STACK, 67108864, 2097152, 2097152, 0},
};

static const struct report_memory memory[] = {
	{"ready", 352321536, 341835776, {KNOWN, 420000000}, at_ready, array_length(at_ready)},
	{"warm", 371195904, 360710144, {KNOWN, 441000000}, at_warm, array_length(at_warm)},
};

static const struct report_connection connections[] = {
	{"127.0.0.53:53 (UDP)", PHASE_STARTUP, 2, 0, 41000, 0, 1, 82, 164},
	{"10.0.0.7:5432", PHASE_FIRST_REQUEST, 3, 1, 2204000, 28, 2, 20480, 88210},
};

static const char *const fat_jar_evidence[] = {
	"638 of the 1,147 classes loaded in the first request came from jars nested in petclinic-rest.jar",
	"622 ClassNotFoundExceptions in it were thrown and caught by the loader: one for each such class",
	"297,512,960 bytes were read to get 24,793,000: 12 times what was wanted",
};
static const char *const contention_evidence[] = {"C2 CompilerThread0 ran in 24.1 ms of the 31.2 ms"};
static const char *const cold_cache_evidence[] = {"7 page faults of the first request waited for the disk"};

static const struct report_finding findings[] = {
	{"fat-jar-class-loading",
	 "Classes came out of a jar in a jar, one exception each.",
	 "Extract it: java -Djarmode=tools -jar petclinic-rest.jar extract; then run "
	 "petclinic-rest/petclinic-rest.jar.",
	 fat_jar_evidence,
	 array_length(fat_jar_evidence),
	 {KNOWN, 137 * MS},
	 true},
	{"cpu-contention",
	 "The request waited for a CPU while compiler threads ran.",
	 "Give the process more CPUs for its start, or use an AOT cache, which compiles less.",
	 contention_evidence,
	 1,
	 {KNOWN, 31208440},
	 false},
	{"cold-page-cache",
	 "Parts of the jar were read from disk.",
	 "Read the file once before the start (cat petclinic-rest.jar >/dev/null).",
	 cold_cache_evidence,
	 1,
	 {KNOWN, 8930412},
	 false},
	{"aot-cache-not-used",
	 "No AOT cache is in use.",
	 "Try: warmtrace aot -- java -jar petclinic-rest.jar",
	 NULL,
	 0,
	 {NONE, 0},
	 false},
};

static const char *const notes[] = {
	"The process was held for 21 ms while probes were attached; that time is taken off."};
static const char *const jvm_arguments[] = {"-XX:+UseG1GC", "-Xlog:disable"};

static void add_machine(struct report *report)
{
	report->tool_version = "0.1.0";
	report->run = (struct report_run){
		.command = command,
		.command_count = array_length(command),
		.pid = 4711,
		.main_pid = 4711,
		.start_realtime_ns = 1772366400 * SECOND, /* 2026-03-01T12:00:00Z */
		.wall_ns = 12140 * MS,
		.user = "anna",
		.exit_kind = EXIT_KIND_EXIT,
		.exit_code = 143,
		.exit_by_us = true,
		.exit_oom = {.state = NONE},
	};
	report->machine = (struct report_machine){
		.kernel = "6.12.9",
		.arch = "x86_64",
		.cpus = 2,
		.cpu_quota = {.state = NONE},
		.memory_limit = none(),
		.cgroup_peak = known(503316480),
		.cgroup_oom = known(0),
		.cgroup_oom_kill = known(0),
		.cgroup_max = known(0),
	};
	report->runtime = (struct report_runtime){
		.kind = "hotspot",
		.version = known_text("25.0.3+9"),
		.vendor = known_text("Eclipse Adoptium"),
		.gc = known_text("G1"),
		.max_heap = known(2063597568),
		.arguments = jvm_arguments,
		.argument_count = array_length(jvm_arguments),
		.cds_archive = known_text("/usr/lib/jvm/temurin-25/lib/server/classes.jsa"),
		.cds_mapped = known(1),
		.aot_requested = {.state = NONE},
		.aot_mapped = known(0),
		.aot_reason = {.state = NONE},
	};
}

void sample_spring(struct report *report)
{
	*report = (struct report){};
	add_machine(report);
	SAMPLE_LIST(report, observed, observed);
	report->overhead_estimated_ns = known(410 * MS);
	report->events_total = 271451;
	SAMPLE_LIST(report, events_by_kind, events);
	SAMPLE_LIST(report, milestones, milestones);
	add_phases(report);
	add_requests(report);
	SAMPLE_LIST(report, routes, routes);
	SAMPLE_LIST(report, what_if, what_ifs);
	SAMPLE_LIST(report, exceptions, exceptions);
	report->classes = (struct report_classes){
		.loaded = known(18031),
		.from_cds = known(1462),
		.from_aot = known(0),
		.from_jar = known(12441),
		.from_jrt = known(1396),
		.from_directory = known(0),
		.from_generated = known(2732),
		.slowest = slowest,
		.slowest_count = array_length(slowest),
		.by_jar = by_jar,
		.by_jar_count = array_length(by_jar),
		.by_package = by_package,
		.by_package_count = array_length(by_package),
		.by_loader = by_loader,
		.by_loader_count = array_length(by_loader),
		.initializers = initializers,
		.initializers_count = array_length(initializers),
		.generated = generated,
		.generated_count = array_length(generated),
		.not_found = not_found,
		.not_found_count = array_length(not_found),
	};
	SAMPLE_LIST(report, compilations, compilations);
	SAMPLE_LIST(report, hot_methods, hot_methods);
	SAMPLE_LIST(report, deoptimizations, deoptimizations);
	SAMPLE_LIST(report, throws, throws);
	SAMPLE_LIST(report, pause_causes, pause_causes);
	SAMPLE_LIST(report, thread_roles, thread_roles);
	report->jit_deoptimizations_cold = known(16);
	report->jit_deoptimizations_warm = known(4);
	SAMPLE_LIST(report, jars, jars);
	SAMPLE_LIST(report, duplicates, duplicates);
	SAMPLE_LIST(report, searches, searches);
	report->page_cache = (struct report_page_cache){.is_known = true,
							.was_dropped = true,
							.state = "partly",
							.size = 89362432,
							.resident = 30851072,
							.disk_ns = 90 * MS,
							.files = cached_files,
							.files_count = array_length(cached_files)};
	SAMPLE_LIST(report, files, files);
	report->faults =
		(struct report_faults){.minor = known(153212),
				       .major = known(26),
				       .duration_ns = known(251 * MS),
				       .by_mapping = faults,
				       .by_mapping_count = array_length(faults),
				       .by_file = fault_files,
				       .by_file_count = array_length(fault_files)};
	report->jit_compilations = known(7986);
	report->jit_c1 = known(6411);
	report->jit_c2 = known(1575);
	report->jit_cpu_ns = known(8360 * MS);
	report->jit_deoptimizations = known(402);
	report->gc_collections = known(9);
	report->gc_pauses = known(9);
	report->gc_pause_ns = known(61 * MS);
	report->gc_safepoints = known(140);
	report->gc_safepoint_ns = known(12 * MS);
	SAMPLE_LIST(report, threads, threads);
	SAMPLE_LIST(report, memory, memory);
	SAMPLE_LIST(report, connections, connections);
	SAMPLE_LIST(report, findings, findings);
	report->verdict =
		"The first request took 434 ms, a warm one 13.5 ms. Almost half of the difference is loading "
		"classes: 638 of "
		"them came out of jars nested in petclinic-rest.jar, and each was first looked for in vain.";
	report->notes = notes;
	report->note_count = array_length(notes);
}
