// Package public knows the databases of the public datasets that figures are published of.
package public

import (
	"slices"
	"strings"
)

// spiderDev are the databases of Spider's dev split, which Realistic and Syn ask too.
var spiderDev = strings.Fields(`battle_death car_1 concert_singer course_teach cre_Doc_Template_Mgt dog_kennels
	employee_hire_evaluation flight_2 museum_visit network_1 orchestra pets_1 poker_player real_estate_properties singer
	student_transcripts_tracking tvshow voter_1 world_1 wta_1`)

// birdDev are the databases of BIRD's dev split, which mini-dev asks too.
var birdDev = strings.Fields(`california_schools card_games codebase_community debit_card_specializing european_football_2
	financial formula_1 student_club superhero thrombosis_prediction toxicology`)

// databasesOf are the databases of the public datasets that figures are published of.
var databasesOf = map[string][]string{
	"spider/dev":       spiderDev,
	"spider/syn":       spiderDev,
	"spider/realistic": spiderDev,
	"spider/dk":        append(strings.Fields("new_concert_singer new_orchestra new_pets_1"), spiderDev...),
	"bird/dev":         birdDev,
	"bird/mini_dev":    birdDev,
}

// Is reports whether all of the databases are of the public dataset that goes by that name, such as spider/dev, so
// that figures published of it have to do with them. Questions of one's own in the form of Spider or BIRD have the name
// too, but other databases. Of a name that it does not know it reports true.
func Is(dataset string, databases []string) bool {
	all, known := databasesOf[dataset]
	return !known || !slices.ContainsFunc(databases, func(db string) bool { return !slices.Contains(all, db) })
}
