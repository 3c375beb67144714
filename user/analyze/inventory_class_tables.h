/* The tables about classes beside that of the slowest ones. Private to analyze. */
#pragma once

#include "analyze/class_askers.h"
#include "analyze/inventory_internal.h"
#include "analyze/inventory_loads.h"

/* By jar, by package, by loader; `loaders` holds the loader's name of each class, "" unknown. */
void class_groups_list(const struct inventory *inventory, const struct class_loads *loads, const char **loaders);

/* The slowest static initialisers, the most expensive generated classes, the classes that nobody found. */
void class_work_list(const struct inventory *inventory, const struct class_askers *askers);
