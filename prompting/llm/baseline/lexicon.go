package baseline

import "strings"

// The lexicon holds general English only. It must not name a dataset's tables, columns or values.

// set returns the set of the words in a text.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// pairs returns the map of the key=value words in a text.
func pairs(text string) map[string]string {
	m := map[string]string{}
	for _, w := range strings.Fields(text) {
		k, v, _ := strings.Cut(w, "=")
		m[k] = v
	}
	return m
}

var irregular = pairs(`people=person children=child men=man women=woman feet=foot mice=mouse geese=goose teeth=tooth
	data=data series=series species=species status=status statuses=status address=address addresses=address
	bus=bus buses=bus class=class classes=class this=this is=is was=was has=has does=does its=its his=his
	news=news movies=movie cookies=cookie calories=calorie ties=tie lives=life wives=wife shelves=shelf leaves=leaf
	indices=index indexes=index analyses=analysis theses=thesis bases=base purchases=purchase courses=course
	houses=house horses=horse nurses=nurse cases=case phases=phase diseases=disease prizes=prize sizes=size
	heroes=hero cities=city countries=country gas=gas less=less times=time`)

var numerals = pairs(`two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12 twenty=20
	thirty=30 forty=40 fifty=50 hundred=100 thousand=1000 million=1000000`)

var abbreviations = pairs(`num=number no=number nbr=number dept=department emp=employee stu=student prof=professor
	qty=quantity amt=amount addr=address dob=birth yr=year desc=description descr=description tel=telephone
	lat=latitude long=longitude lng=longitude temp=temperature pct=percentage avg=average max=maximum min=minimum
	cust=customer prod=product crs=course mgr=manager org=organization loc=location cat=category acct=account
	trans=transaction ref=reference info=information pos=position apt=apartment bldg=building capt=captain
	id=identifier src=source dst=destination tot=total est=established pop=population
	lang=language hq=headquarter fname=forename lname=surname img=image`)

// synonymSets are groups of stems with one meaning; the first of a group carries no weight.
var synonymSets = indexSets(
	"sex gender", "nation country nationality", "town city", "wage salary earning pay", "price cost expense charge",
	"job occupation profession position", "phone telephone", "mail email", "kind type category", "title name",
	"begin start", "finish end", "employee staff worker", "teacher instructor professor", "movie film",
	"car vehicle automobile", "birth born birthday birthdate", "firm company", "shop store", "location place address",
	"identifier id", "date day", "manufacturer producer", "score point", "surname lastname", "customer client",
	"author writer", "sum total", "amount quantity", "hire employ", "teach course", "size area",
	"dwell live reside", "income earning revenue", "tourist visitor", "pupil student", "doctor physician",
	"participant candidate", "match game", "song track", "label caption", "description detail",
	"rank ranking", "rate rating", "length duration", "flat apartment", "district county", "area region",
	"lead leader head", "friend friendship", "purchase buy", "airplane plane aircraft", "speak language", "spoken language",
	"owner own", "enrol enroll enrollment enrolment", "attend attendance", "stay duration", "edit editor",
	"locate location", "treat treatment", "vote voting", "arrive arrival", "depart departure", "die death",
	"old age", "heavy weight", "tall height", "long length", "fast speed", "expensive price",
	"graduate graduation", "found founded establishment", "open opening", "publish publication", "release issue",
)

// indexSets maps each stem to the numbers of the sets that contain it.
func indexSets(sets ...string) map[string][]int {
	m := map[string][]int{}
	for i, s := range sets {
		for _, w := range strings.Fields(s) {
			m[w] = append(m[w], i)
		}
	}
	return m
}

func synonym(a, b string) bool {
	for _, i := range synonymSets[a] {
		for _, j := range synonymSets[b] {
			if i == j {
				return true
			}
		}
	}
	return false
}

// stop words never begin a mention of a column or a table.
var stop = set(`a an the of in on at by for to from with without and or but nor not no is are was were be been being am do does did
	done has have had having there this that these those it its their them they his her he she him who whom whose which
	what when where why how me my i we our us you your all any each every some such both either neither than then so as
	if into over under about between during after before since until more most less least fewer fewest many much show
	list give find return tell display get please can could would should will may also only just ever never
	different distinct unique same other another along together including include corresponding respective respectively
	whichever one up out per across among within against through per via onto off except excluding besides
	sorted ordered sort order ascending descending alphabetical alphabetically lexicographic lexicographical
	average mean total sum maximum minimum count highest lowest largest smallest biggest greatest top
	exactly equal greater larger bigger smaller higher lower longer shorter older younger earlier later
	report use using used contain contains containing
	provide describe named called belong belongs do don't doesn't didn't isn't aren't wasn't weren't hasn't haven't`)

// noise words in identifiers say little about their meaning.
var noise = set("ref table tbl list data info information record detail master tb has have of the in and to for at by details")

// measures at the end of a column's name are its unit of measurement.
var measures = set("dollar euro pound inch foot mph km kg mile f c usd million billion thousand gb mb g m cm meter metre minute second percent us")

// glue words are those searched for inside identifiers written without separators: names common in databases of any
// subject. Words of the question and of the tables' own names are added to them.
var glue = set(`id name code date type number no title year time description price amount count first last middle
	country city state language address phone email role start end birth total average max min score rank level size
	weight height length color colour model department student teacher employee customer product order item salary age
	sex gender point grade building room capacity rate rating status category region district credit hour source
	destination full home family member head zip street line key value short long text file user group party team
	class company store project event user month day week area population`)

// nameWords are the last words of columns that name their row, best first.
var nameWords = []string{"name", "title", "firstname", "lastname", "surname", "forename", "label", "description", "detail"}

// superlatives: word -> column words that it implies, ":", "desc" or "asc", for the largest or the smallest first.
var superlatives = map[string]string{
	"oldest": "age:desc birth:asc year:asc founded:asc built:asc established:asc date:asc", "youngest": "age:asc birth:desc year:desc",
	"eldest": "age:desc birth:asc", "newest": "year:desc date:desc", "tallest": "height:desc", "shortest": "height:asc length:asc duration:asc time:asc",
	"longest": "length:desc duration:desc time:desc distance:desc", "heaviest": "weight:desc", "lightest": "weight:asc",
	"cheapest": "price:asc cost:asc fee:asc rate:asc", "priciest": "price:desc cost:desc", "fastest": "speed:desc time:asc", "slowest": "speed:asc time:desc",
	"earliest": "date:asc year:asc time:asc start:asc", "latest": "date:desc year:desc time:desc start:desc", "richest": "money:desc worth:desc income:desc wealth:desc",
	"biggest": "size:desc area:desc population:desc capacity:desc", "largest": "size:desc area:desc population:desc capacity:desc amount:desc", "smallest": "size:asc area:asc population:asc capacity:asc amount:asc",
	"highest": ":desc", "lowest": ":asc", "greatest": ":desc", "maximum": ":desc", "minimum": ":asc", "best": "score:desc rank:asc rating:desc", "worst": "score:asc rank:desc rating:asc",
	"closest": "distance:asc", "farthest": "distance:desc", "deepest": "depth:desc", "widest": "width:desc", "strongest": "power:desc strength:desc",
	"most": ":desc", "least": ":asc", "fewest": ":asc", "first": "date:asc year:asc time:asc", "last": "date:desc year:desc time:desc", "top": ":desc",
	"recent": "date:desc year:desc time:desc", "expensive": "price:desc cost:desc fee:desc rate:desc", "populous": "population:desc", "populated": "population:desc",
}

// comparatives: word -> operator, then the column words that it implies if no column is named next to it.
var comparatives = map[string]string{
	"older": "> age", "younger": "< age", "heavier": "> weight", "lighter": "< weight", "taller": "> height", "shorter": "< height length duration",
	"longer": "> length duration time", "cheaper": "< price cost", "faster": "> speed", "slower": "< speed", "larger": "> size area population capacity", "bigger": "> size area population capacity",
	"smaller": "< size area population capacity", "more": ">", "greater": ">", "higher": ">", "over": ">", "above": ">", "exceed": ">", "exceeding": ">", "exceeds": ">", "beyond": ">",
	"less": "<", "fewer": "<", "lower": "<", "under": "<", "below": "<", "after": "> year date time", "before": "< year date time", "since": ">= year date time",
	"later": "> year date time", "earlier": "< year date time", "newer": "> year date", "least": ">=", "most": "<=", "minimum": ">=", "maximum": "<=", "costlier": "> price cost", "expensive": "> price cost",
}

// numeric words end the names of columns that hold quantities.
var numeric = set(`age year price cost amount count number population weight height length size area salary capacity rate
	rating score point rank distance duration speed quantity total budget revenue profit sale income value percentage
	level attendance temperature depth width fee credit hour money worth percent share vote win loss lose balance asset
	minute second latitude longitude goal elevation tax stock ranking power`)

// dated words mark columns of dates and times.
var dated = set("date year time day month birth birthday start end founded established opened built since when")

// placed words mark columns that hold places.
var placed = set("country city state location hometown nation nationality county district region town place address origin province headquarter venue area residence")

// distinctWords ask for values without repetition.
var distinctWords = set("different distinct unique")

// aggregates: question word -> SQL function.
var aggregates = pairs("average=avg mean=avg total=sum sum=sum maximum=max minimum=min max=max min=min combined=sum overall=sum max.=max min.=min")
