// Package public lists the databases of the public datasets for which figures are published. A report asks it whether a
// run used such a dataset before it prints published figures next to the run's own. It must never be asked about items:
// a subset has the same databases.
package public

import (
	"slices"
	"strings"
)

// spiderDev are the databases of Spider's dev split, which Realistic and Syn use too.
var spiderDev = strings.Fields(`battle_death car_1 concert_singer course_teach cre_Doc_Template_Mgt dog_kennels
	employee_hire_evaluation flight_2 museum_visit network_1 orchestra pets_1 poker_player real_estate_properties singer
	student_transcripts_tracking tvshow voter_1 world_1 wta_1`)

// birdDev are the databases of BIRD's dev split, which mini-dev uses too.
var birdDev = strings.Fields(`california_schools card_games codebase_community debit_card_specializing european_football_2
	financial formula_1 student_club superhero thrombosis_prediction toxicology`)

// databasesOf are the databases of the public datasets for which figures are published.
var databasesOf = map[string][]string{
	"spider/dev":       spiderDev,
	"spider/syn":       spiderDev,
	"spider/realistic": spiderDev,
	"spider/dk":        append(strings.Fields("new_concert_singer new_orchestra new_pets_1"), spiderDev...),
	"bird/dev":         birdDev,
	"bird/mini_dev":    birdDev,
}

// Is reports whether all of the databases belong to the public dataset of that name, such as spider/dev, so that
// figures published for it can be compared. A user's own questions in the form of Spider or BIRD have the same name but
// other databases. It reports true for a name that it does not know, because nothing is published for that.
func Is(dataset string, databases []string) bool {
	all, known := databasesOf[dataset]
	return !known || !slices.ContainsFunc(databases, func(db string) bool { return !slices.Contains(all, db) })
}
