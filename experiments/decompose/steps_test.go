package decompose

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/prompting/sql/hostile"
	"assay/prompting/sql/schema"
)

// school has students, clubs, the link between them, and pets with an owner.
func school() *schema.Database {
	db := new(schema.Database).
		Add("student", "StuID", "LName", "Age", "Sex", "city").
		Add("club", "club_id", "name", "founded_year").
		Add("member_of_club", "StuID", "club_id", "points").
		Add("pets", "PetID", "pet_type", "weight", "owner_id").
		Add("flight", "no", "origin_id", "target_id").
		Add("airport", "airport_id", "city")
	for table, key := range map[string]string{"student": "StuID", "club": "club_id", "pets": "PetID", "airport": "airport_id"} {
		db.Table(table).PrimaryKey = []string{key}
	}
	db.Table("pets").Column("weight").Type = "INTEGER"
	db.Table("member_of_club").Column("points").Type = "INTEGER"
	db.ForeignKeys = []schema.ForeignKey{
		{Table: "member_of_club", Column: "StuID", RefTable: "student", RefColumn: "StuID"},
		{Table: "member_of_club", Column: "club_id", RefTable: "club", RefColumn: "club_id"},
		{Table: "pets", Column: "owner_id", RefTable: "student", RefColumn: "StuID"},
		{Table: "flight", Column: "origin_id", RefTable: "airport", RefColumn: "airport_id"},
		{Table: "flight", Column: "target_id", RefTable: "airport", RefColumn: "airport_id"},
	}
	return db
}

// TestSteps: each query with the steps before it, question and SQL alternately.
func TestSteps(t *testing.T) {
	check := func(sql string, want ...string) {
		t.Helper()
		steps, refused := Steps("Q?", sql, school())
		if refused != nil {
			t.Errorf("%s: %v", sql, refused)
			return
		}
		if last := steps[len(steps)-1]; last.Question != "Q?" || last.SQL != sql {
			t.Errorf("%s: the last step is %+v", sql, last)
		}
		var got []string
		for _, s := range steps[:len(steps)-1] {
			got = append(got, s.Question, s.SQL)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", sql, diff)
		}
	}
	// One clause over one table is a step of its own.
	check("SELECT LName FROM student WHERE Age > 20")
	check("SELECT count(*) FROM student;")
	check("SELECT LName FROM student ORDER BY Age")
	// More columns, more conditions.
	check("SELECT LName, Age FROM student WHERE Sex = 'F'",
		"What are the last names and ages of all students?", "SELECT LName, Age FROM student")
	check("SELECT count(*) FROM student AS s WHERE s.Sex = 'F' AND s.Age BETWEEN 18 AND 20",
		"How many students have F as their sex?", "SELECT count(*) FROM student WHERE Sex = 'F'")
	check("SELECT LName FROM student WHERE city = 'Oslo' OR city = 'Rome'",
		"What are the last names of the students whose city is Oslo?", "SELECT LName FROM student WHERE city = 'Oslo'")
	check("SELECT min(Age), max(Age) FROM student",
		"What is the lowest age of the students?", "SELECT min(Age) FROM student")
	// Order: the largest value first, or the list before it is sorted.
	check("SELECT LName FROM student WHERE Sex = 'F' ORDER BY Age DESC LIMIT 1",
		"What is the highest age of the students whose sex is F?", "SELECT max(Age) FROM student WHERE Sex = 'F'")
	check("SELECT LName FROM student ORDER BY Age LIMIT 3",
		"What are the last names and ages of all students?", "SELECT LName, Age FROM student")
	check("SELECT pet_type FROM pets ORDER BY weight DESC LIMIT 1",
		"What is the highest weight of the pets?", "SELECT max(weight) FROM pets")
	// Joins: the restriction of the other table, then what it is joined to.
	check("SELECT T1.pet_type FROM pets AS T1 JOIN student AS T2 ON T1.owner_id = T2.StuID WHERE T2.LName = 'Ng'",
		"Which students have Ng as their last name?", "SELECT StuID FROM student WHERE LName = 'Ng'")
	check("SELECT T1.LName FROM student AS T1 JOIN member_of_club AS T2 ON T1.StuID = T2.StuID JOIN club AS T3 ON T2.club_id = T3.club_id "+
		"WHERE T3.name = 'Chess'",
		"Which clubs are named Chess?", "SELECT club_id FROM club WHERE name = 'Chess'",
		"Which students have a club whose name is Chess?",
		"SELECT T2.StuID FROM member_of_club AS T2 JOIN club AS T3 ON T2.club_id = T3.club_id WHERE T3.name = 'Chess'")
	check("SELECT s.LName, p.pet_type FROM student s, pets p WHERE p.owner_id = s.StuID",
		"What are the last names of all students?", "SELECT LName FROM student")
	// Groups: what each has, then what is asked of them; a table that only names the key is left out.
	check("SELECT T1.name FROM club AS T1 JOIN member_of_club AS T2 ON T1.club_id = T2.club_id GROUP BY T1.club_id HAVING count(*) > 5",
		"How many students does each club have?", "SELECT club_id, count(*) FROM member_of_club GROUP BY club_id")
	check("SELECT city FROM student WHERE Age >= 30 GROUP BY city ORDER BY count(*) DESC LIMIT 1",
		"How many students whose age is at least 30 are there for each city?",
		"SELECT city, count(*) FROM student WHERE Age >= 30 GROUP BY city")
	check("SELECT city, count(*) FROM student GROUP BY city",
		"What are the different cities of the students?", "SELECT DISTINCT city FROM student")
	check("SELECT club_id, avg(points) FROM member_of_club GROUP BY club_id HAVING sum(points) > 9",
		"What is the total number of points of the members of club for each club?",
		"SELECT club_id, sum(points) FROM member_of_club GROUP BY club_id")
	check("SELECT city FROM student GROUP BY city HAVING count(Age) > 2",
		"What is the number of students with an age for each city?", "SELECT city, count(Age) FROM student GROUP BY city")
	// Nested queries first, the sides of a set operation one by one.
	check("SELECT LName FROM student WHERE Age > (SELECT avg(Age) FROM student)",
		"What is the average age of the students?", "SELECT avg(Age) FROM student")
	check("SELECT LName FROM student WHERE StuID NOT IN (SELECT owner_id FROM pets WHERE pet_type = 'cat') AND Sex = 'M'",
		"Which students have a pet whose type is cat?", "SELECT owner_id FROM pets WHERE pet_type = 'cat'",
		"What are the last names of the students that have no pet whose type is cat?",
		"SELECT LName FROM student WHERE StuID NOT IN (SELECT owner_id FROM pets WHERE pet_type = 'cat')")
	check("SELECT city FROM student WHERE Age < 20 INTERSECT SELECT city FROM student WHERE Age > 60",
		"What are the cities of the students whose age is below 20?", "SELECT city FROM student WHERE Age < 20",
		"What are the cities of the students whose age is above 60?", "SELECT city FROM student WHERE Age > 60")
	check("SELECT StuID FROM student EXCEPT SELECT StuID FROM member_of_club",
		"Which students are there?", "SELECT StuID FROM student",
		"Which students have a club?", "SELECT StuID FROM member_of_club")
	check("SELECT count(*) FROM (SELECT city FROM student GROUP BY city HAVING count(*) > 2)",
		"How many students are there for each city?", "SELECT city, count(*) FROM student GROUP BY city",
		"Which cities have more than 2 students?", "SELECT city FROM student GROUP BY city HAVING count(*) > 2")
	// What restricts the table that the asked key refers to is said too, and what lies beyond the table that groups.
	check("SELECT m.StuID FROM member_of_club m JOIN student s ON m.StuID = s.StuID WHERE s.Age > 20 UNION SELECT StuID FROM student",
		"Which students have an age above 20 and a club?",
		"SELECT m.StuID FROM member_of_club m JOIN student s ON m.StuID = s.StuID WHERE s.Age > 20",
		"Which students are there?", "SELECT StuID FROM student")
	check("SELECT s.city FROM pets p JOIN student s ON p.owner_id = s.StuID WHERE s.Age > 20 GROUP BY s.city HAVING count(*) > 1",
		"Which students have an age above 20?", "SELECT StuID FROM student WHERE Age > 20",
		"How many pets are there for each city of a student whose age is above 20?",
		"SELECT s.city, count(*) FROM pets AS p JOIN student AS s ON p.owner_id = s.StuID WHERE s.Age > 20 GROUP BY s.city")
	check("SELECT p.owner_id, count(*) FROM pets p JOIN student s ON p.owner_id = s.StuID WHERE s.Sex = 'F' GROUP BY p.pet_type, s.city HAVING count(*) > 1",
		"Which students have F as their sex?", "SELECT StuID FROM student WHERE Sex = 'F'",
		"How many pets whose student's sex is F are there for each type and student city?",
		"SELECT p.pet_type, s.city, count(*) FROM pets AS p JOIN student AS s ON p.owner_id = s.StuID WHERE s.Sex = 'F' GROUP BY p.pet_type, s.city")
	check("SELECT s.city, s.Sex, avg(p.weight) FROM pets p JOIN student s ON p.owner_id = s.StuID WHERE s.Age > 20 GROUP BY s.city, s.Sex HAVING count(*) > 1",
		"Which students have an age above 20?", "SELECT StuID FROM student WHERE Age > 20",
		"How many pets are there for each city and sex of a student whose age is above 20?",
		"SELECT s.city, s.Sex, count(*) FROM pets AS p JOIN student AS s ON p.owner_id = s.StuID WHERE s.Age > 20 GROUP BY s.city, s.Sex")
	// One of several conditions beside one that has to hold.
	check("SELECT LName FROM student WHERE (Age < 20 OR city = 'Rome') AND Sex = 'F' UNION SELECT name FROM club",
		"What are the last names of the students whose sex is F, and either whose age is below 20 or whose city is Rome?",
		"SELECT LName FROM student WHERE (Age < 20 OR city = 'Rome') AND Sex = 'F'",
		"What are the names of all clubs?", "SELECT name FROM club")
	// A join that no key makes is said as what it is, also of a key of another kind of thing.
	check("SELECT p.pet_type, c.name FROM pets p JOIN club c ON p.owner_id = c.club_id UNION SELECT LName, city FROM student",
		"What are the types of the pets that have an owner id that is the id of a club and the names of those clubs?",
		"SELECT p.pet_type, c.name FROM pets p JOIN club c ON p.owner_id = c.club_id",
		"What are the last names and cities of all students?", "SELECT LName, city FROM student")
	// The largest of all has the verb; the largest of some may be that of others too.
	check("SELECT LName FROM student WHERE Age = (SELECT max(Age) FROM student) UNION SELECT name FROM club",
		"What is the highest age of the students?", "SELECT max(Age) FROM student",
		"What are the last names of the students that have the highest age of the students?",
		"SELECT LName FROM student WHERE Age = (SELECT max(Age) FROM student)",
		"What are the names of all clubs?", "SELECT name FROM club")
	check("SELECT LName FROM student WHERE Age = (SELECT max(Age) FROM student WHERE Sex = 'F') UNION SELECT name FROM club",
		"What is the highest age of the students whose sex is F?", "SELECT max(Age) FROM student WHERE Sex = 'F'",
		"What are the last names of the students whose age is the highest age of the students whose sex is F?",
		"SELECT LName FROM student WHERE Age = (SELECT max(Age) FROM student WHERE Sex = 'F')",
		"What are the names of all clubs?", "SELECT name FROM club")
	// A column that a condition holds is not null.
	check("SELECT city, count(Sex) FROM student WHERE Sex = 'F' GROUP BY city HAVING count(Sex) > 2",
		"How many students whose sex is F are there for each city?", "SELECT city, count(Sex) FROM student WHERE Sex = 'F' GROUP BY city")
	// Dates and sums: a part of a date, a computation with two columns.
	check("SELECT LName FROM student WHERE strftime('%Y', city) = '1980' AND strftime('%Y', city) BETWEEN '1970' AND '1990'",
		"What are the last names of the students whose city is in 1980?", "SELECT LName FROM student WHERE strftime('%Y', city) = '1980'")
	check("SELECT PetID FROM pets WHERE CAST(weight AS REAL) * 100 / weight > 3 UNION SELECT StuID FROM student",
		"Which pets have a ratio in percent of the weight to the weight above 3?",
		"SELECT PetID FROM pets WHERE CAST(weight AS REAL) * 100 / weight > 3",
		"Which students are there?", "SELECT StuID FROM student")
	check("SELECT pet_type FROM pets ORDER BY weight - weight LIMIT 1",
		"What is the lowest difference between the weight and the weight of the pets?", "SELECT min(weight - weight) FROM pets")
	// What is computed of aggregates: each alone, the whole before its part.
	check("SELECT CAST(SUM(CASE WHEN s.Sex = 'F' THEN 1.0 ELSE 0 END) AS REAL) * 100 / COUNT(s.StuID) FROM student AS s WHERE s.Age > 20",
		"How many students have an age above 20?", "SELECT COUNT(StuID) FROM student WHERE Age > 20",
		"How many students have an age above 20 and F as their sex?", "SELECT count(*) FROM student WHERE Age > 20 AND Sex = 'F'")
	check("SELECT SUM(IIF(pet_type = 'cat', weight, 0)) - SUM(IIF(pet_type = 'dog', weight, 0)) FROM pets",
		"What is the total weight of the pets whose type is cat?", "SELECT sum(weight) FROM pets WHERE pet_type = 'cat'",
		"What is the total weight of the pets whose type is dog?", "SELECT sum(weight) FROM pets WHERE pet_type = 'dog'")
	// A table twice, in two roles.
	check("SELECT count(*) FROM flight f JOIN airport a ON f.origin_id = a.airport_id JOIN airport b ON f.target_id = b.airport_id "+
		"WHERE a.city = 'Oslo' AND b.city = 'Rome'",
		"Which airports have Oslo as their city?", "SELECT airport_id FROM airport WHERE city = 'Oslo'",
		"Which airports have Rome as their city?", "SELECT airport_id FROM airport WHERE city = 'Rome'")
	// Aggregates over two tables, each with its rows.
	check("SELECT s.city, max(s.Age), max(p.weight) FROM pets p JOIN student s ON p.owner_id = s.StuID GROUP BY s.city HAVING count(*) > 1 "+
		"UNION SELECT LName, Age, Age FROM student",
		"What are the highest age of the students and the highest weight of the pets for each student city that has more than 1 pet?",
		"SELECT s.city, max(s.Age), max(p.weight) FROM pets p JOIN student s ON p.owner_id = s.StuID GROUP BY s.city HAVING count(*) > 1",
		"What are the last names, ages and ages of all students?", "SELECT LName, Age, Age FROM student")
	// Two keys to the same table: the role is said.
	check("SELECT a.city FROM airport a JOIN flight f ON f.target_id = a.airport_id GROUP BY a.city HAVING count(*) > 2",
		"How many flights are there for each target city?",
		"SELECT a.city, count(*) FROM flight AS f JOIN airport AS a ON f.target_id = a.airport_id GROUP BY a.city")
	check("SELECT f.no, a.city FROM flight f JOIN airport a ON f.target_id = a.airport_id UNION SELECT StuID, city FROM student",
		"What are the nos of all flights and the cities of their targets?",
		"SELECT f.no, a.city FROM flight f JOIN airport a ON f.target_id = a.airport_id",
		"What are the ids and cities of all students?", "SELECT StuID, city FROM student")
	check("SELECT city FROM airport UNION SELECT a.city FROM airport a JOIN flight f ON f.target_id = a.airport_id",
		"What are the cities of all airports?", "SELECT city FROM airport",
		"What are the cities of the airports that are the target of a flight?",
		"SELECT a.city FROM airport a JOIN flight f ON f.target_id = a.airport_id")
}

func TestRefusals(t *testing.T) {
	check := func(sql string, want Reason) {
		t.Helper()
		if steps, refused := Steps("Q?", sql, school()); refused == nil || refused.Reason != want {
			t.Errorf("%s: %v, %v, and not %q", sql, steps, refused, want)
		}
	}
	check("DELETE FROM student", Unreadable)
	check("SELECT 1; SELECT 2", Unreadable)
	check("SELECT wages FROM student", Unknown)
	check("SELECT a.LName FROM student a JOIN student b ON a.Age < b.Age", SelfJoin)
	check("SELECT s.LName FROM student s LEFT JOIN pets p ON p.owner_id = s.StuID", Outer)
	check("SELECT s.LName FROM student s, club c WHERE s.Sex = 'F'", Unjoined)
	check("SELECT LName, rank() OVER (ORDER BY Age) FROM student WHERE Sex = 'F'", Expression)
	check("SELECT p.pet_type, count(DISTINCT s.city) FROM pets p JOIN student s ON p.owner_id = s.StuID WHERE p.weight > 3 GROUP BY p.pet_type HAVING count(DISTINCT s.city) > 2", Grain)
	// SQLite divides whole numbers without a rest, and reads a date in a sum as its year.
	check("SELECT PetID FROM pets WHERE weight / weight > 3 AND pet_type = 'cat'", Expression)
	check("SELECT PetID FROM pets WHERE weight - pet_type > 3 AND pet_type = 'cat'", Expression)
	check("SELECT AVG(CASE WHEN pet_type = 'cat' THEN 1 ELSE 0 END) * 100 FROM pets", Expression)
	check("SELECT Age + 1, LName FROM student WHERE Sex = 'F'", Expression)
	check("SELECT count(*) FROM student s JOIN pets p ON p.owner_id = s.StuID JOIN member_of_club m ON m.StuID = s.StuID GROUP BY s.city", Grain)
}

func TestDivide(t *testing.T) {
	check := func(sql, simplify string, want ...Part) {
		t.Helper()
		got, how, refused := Divide("Q?", sql, school())
		if refused != nil {
			t.Errorf("%s: %v", sql, refused)
			return
		}
		if diff := cmp.Diff(want, got); diff != "" || how != simplify {
			t.Errorf("%s: %s (-want +got)\n%s", sql, how, diff)
		}
	}
	const nothing = "Nothing becomes shorter: each sub-query is needed as it is."
	check("SELECT LName FROM student WHERE Age > (SELECT avg(Age) FROM student);", nothing,
		Part{"", "Q?", "The answer is `LName` of `student`. What counts is `Age`. One thing has to be known first.",
			"SELECT LName FROM student WHERE Age > (the average age of the students)",
			"SELECT LName FROM student WHERE Age > (SELECT avg(Age) FROM student)"},
		Part{"1", "the average age of the students", "The answer is `avg(Age)` of `student`.",
			"SELECT avg(Age) FROM student", "SELECT avg(Age) FROM student"})
	check("SELECT T1.pet_type FROM pets AS T1 JOIN student AS T2 ON T1.owner_id = T2.StuID WHERE T2.LName = 'Ng'",
		"The conditions stay as they are; the list of `StuID` becomes a join with `student`.",
		Part{"", "Q?", "The answer is `pet_type` of `pets` joined with `student`. What counts is `LName`. One thing has to be known first.",
			"SELECT pet_type FROM pets WHERE owner_id IN (the students whose last name is Ng)",
			"SELECT pet_type FROM pets WHERE owner_id IN (SELECT StuID FROM student WHERE LName = 'Ng')"},
		Part{"1", "the students whose last name is Ng", "The answer is `StuID` of `student`. What counts is `LName`.",
			"SELECT StuID FROM student WHERE LName = 'Ng'", "SELECT StuID FROM student WHERE LName = 'Ng'"})
	check("SELECT StuID FROM student EXCEPT SELECT StuID FROM member_of_club WHERE club_id IN (SELECT club_id FROM club WHERE name = 'Chess')", nothing,
		Part{"", "Q?", "Each side is a query of its own. EXCEPT takes the rows of the second from those of the first.",
			"all students EXCEPT the students that have a member of club that has a club whose name is Chess",
			"SELECT StuID FROM student EXCEPT SELECT StuID FROM member_of_club WHERE club_id IN (SELECT club_id FROM club WHERE name = 'Chess')"},
		Part{"1", "all students", "The answer is `StuID` of `student`.", "SELECT StuID FROM student", "SELECT StuID FROM student"},
		Part{"2", "the students that have a member of club that has a club whose name is Chess",
			"The answer is `StuID` of `member_of_club`. What counts is `club_id`. One thing has to be known first.",
			"SELECT StuID FROM member_of_club WHERE club_id IN (the clubs whose name is Chess)",
			"SELECT StuID FROM member_of_club WHERE club_id IN (SELECT club_id FROM club WHERE name = 'Chess')"},
		Part{"2.1", "the clubs whose name is Chess", "The answer is `club_id` of `club`. What counts is `name`.",
			"SELECT club_id FROM club WHERE name = 'Chess'", "SELECT club_id FROM club WHERE name = 'Chess'"})

	refuse := func(sql string, want Reason) {
		t.Helper()
		if parts, _, refused := Divide("Q?", sql, school()); refused == nil || refused.Reason != want {
			t.Errorf("%s: %v, %v", sql, parts, refused)
		}
	}
	refuse("SELECT LName FROM student WHERE Age > 20", Whole)
	// A student with two pets is there twice: a list would not be the same.
	refuse("SELECT s.LName FROM student s JOIN pets p ON p.owner_id = s.StuID WHERE p.pet_type = 'cat'", Whole)
	refuse("SELECT LName FROM student s WHERE EXISTS (SELECT 1 FROM pets p WHERE p.owner_id = s.StuID)", Correlated)
	refuse("WITH s AS (SELECT LName FROM student) SELECT LName FROM s", Form)
}

// TestRowWords: what a row of a table is called.
func TestRowWords(t *testing.T) {
	check := func(table, want string, columns ...string) {
		t.Helper()
		if got := rowWords(new(schema.Database).Add(table, columns...).Table(table)); got != want {
			t.Errorf("%s: %s, and not %s", table, got, want)
		}
	}
	check("Customer_Orders", "customer order", "id")
	check("Has_Pet", "pet", "StuID")
	check("Ref_Types", "type", "code")
	check("Faculty", "faculty member", "FacID")
	check("Faculty", "faculty", "campus", "faculty") // their number
	check("weather", "weather record", "date")
	check("teaches", "teaches record", "id")
}

var functions = map[string]func(string){
	"Steps":  func(sql string) { Steps("Q?", sql, school()); Steps("Q?", sql, nil) },
	"Divide": func(sql string) { Divide("Q?", sql, school()); Divide("Q?", sql, nil) },
}

func TestHostileTexts(t *testing.T) { hostile.Check(t, functions) }

func FuzzSteps(f *testing.F) {
	for _, sql := range []string{
		"SELECT T1.LName FROM student AS T1 JOIN pets AS T2 ON T1.StuID = T2.owner_id WHERE T2.weight > 1 GROUP BY T1.StuID HAVING count(*) > 1 ORDER BY count(*) LIMIT 1",
		"SELECT city FROM student WHERE Age NOT IN (SELECT max(Age) FROM student UNION VALUES (1)) EXCEPT SELECT city FROM airport",
		"WITH c AS (SELECT * FROM club) SELECT sum(points) OVER () FROM c, member_of_club USING (club_id)",
		`SELECT "LName", [Age], 'it''s' FROM "student" WHERE -Age LIKE '%x\_%' OR (NOT Sex IS NULL)`,
	} {
		f.Add(sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		steps, refused := Steps("Q?", sql, school())
		if (refused == nil) != (len(steps) > 0) || len(steps) > mostSteps {
			t.Fatalf("%q: %v, %v", sql, steps, refused)
		}
		for _, s := range steps {
			if s.Question == "" || refused == nil && strings.TrimSpace(s.SQL) == "" {
				t.Fatalf("%q: %+v", sql, s)
			}
		}
		parts, _, refused := Divide("Q?", sql, school())
		if (refused == nil) != (len(parts) > 1) {
			t.Fatalf("%q: %v, %v", sql, parts, refused)
		}
	})
}
