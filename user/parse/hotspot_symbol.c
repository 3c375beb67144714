/* The ELF symbols of libjvm that the readers ask for. */
#include "parse/hotspot_layout.h"

#include <string.h>

static const char *const fixed_names[] = {
	"gHotSpotVMStructs",
	"gHotSpotVMStructEntryTypeNameOffset",
	"gHotSpotVMStructEntryFieldNameOffset",
	"gHotSpotVMStructEntryTypeStringOffset",
	"gHotSpotVMStructEntryIsStaticOffset",
	"gHotSpotVMStructEntryOffsetOffset",
	"gHotSpotVMStructEntryAddressOffset",
	"gHotSpotVMStructEntryArrayStride",
	"gHotSpotVMTypes",
	"gHotSpotVMTypeEntryTypeNameOffset",
	"gHotSpotVMTypeEntrySizeOffset",
	"gHotSpotVMTypeEntryArrayStride",
	"gHotSpotVMIntConstants",
	"gHotSpotVMIntConstantEntryNameOffset",
	"gHotSpotVMIntConstantEntryValueOffset",
	"gHotSpotVMIntConstantEntryArrayStride",
	"gHotSpotVMLongConstants",
	"gHotSpotVMLongConstantEntryNameOffset",
	"gHotSpotVMLongConstantEntryValueOffset",
	"gHotSpotVMLongConstantEntryArrayStride",
	"UseCompressedClassPointers",
	"UseCompactObjectHeaders",
	"UseCompressedOops",
	"_ZTV10JavaThread",
	"_ZTV14CompilerThread",
	"_ZTV13ServiceThread",
	"_ZTV22MonitorDeflationThread",
	"_ZTV18NotificationThread",
	"_ZTV20AttachListenerThread",
	"_ZTV16JvmtiAgentThread",
	"_ZTV17JfrRecorderThread",
	"_ZTV17StringDedupThread",
	"_ZTV20TrainingReplayThread",
	"_ZTV22CodeCacheSweeperThread",
};

size_t hotspot_symbol_names(const char **names, size_t capacity)
{
	static const char prefix[] = "symbol:";
	const size_t fixed_count = sizeof(fixed_names) / sizeof(fixed_names[0]);
	size_t count = 0;

	for (size_t i = 0; i < fixed_count; i++, count++)
		if (count < capacity)
			names[count] = fixed_names[i];
	for (int id = 0; id < FACT_COUNT; id++) {
		/* Of a fact's names the symbol is the last, so its text ends where the list does. */
		const char *symbol = strstr(hotspot_fact_names((enum hotspot_fact_id)id), prefix);

		if (!symbol)
			continue;
		if (count < capacity)
			names[count] = symbol + sizeof(prefix) - 1;
		count++;
	}
	return count;
}
