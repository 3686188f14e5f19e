-- A yearly film festival: films and their directors, screenings at venues, award nominations, and the juries that decide them.

CREATE TABLE directors (
  director_id INTEGER PRIMARY KEY,
  director_name TEXT NOT NULL,
  nationality TEXT,
  birth_year INTEGER
);

CREATE TABLE films (
  film_id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  original_title TEXT,
  country TEXT,
  language TEXT,
  genre TEXT,
  runtime_min INTEGER,
  budget_musd REAL,
  release_date DATE
);

CREATE TABLE film_directors (
  film_id INTEGER NOT NULL,
  director_id INTEGER NOT NULL,
  PRIMARY KEY (film_id, director_id),
  FOREIGN KEY (film_id) REFERENCES films(film_id),
  FOREIGN KEY (director_id) REFERENCES directors(director_id)
);

CREATE TABLE venues (
  venue_id INTEGER PRIMARY KEY,
  venue_name TEXT NOT NULL,
  quarter TEXT,
  capacity INTEGER,
  has_subtitling TEXT,
  built_year INTEGER
);

CREATE TABLE screenings (
  screening_id INTEGER PRIMARY KEY,
  film_id INTEGER NOT NULL,
  venue_id INTEGER NOT NULL,
  screening_date DATE,
  start_time TEXT,
  list_price REAL,
  price REAL,
  tickets_sold INTEGER,
  free_passes INTEGER,
  FOREIGN KEY (film_id) REFERENCES films(film_id),
  FOREIGN KEY (venue_id) REFERENCES venues(venue_id)
);

CREATE TABLE awards (
  award_id INTEGER PRIMARY KEY,
  award_name TEXT NOT NULL,
  category TEXT,
  prize_money INTEGER
);

CREATE TABLE nominations (
  nomination_id INTEGER PRIMARY KEY,
  award_id INTEGER NOT NULL,
  film_id INTEGER NOT NULL,
  edition_year INTEGER,
  won CHAR(1),
  jury_score REAL,
  FOREIGN KEY (award_id) REFERENCES awards(award_id),
  FOREIGN KEY (film_id) REFERENCES films(film_id)
);

CREATE TABLE juries (
  jury_id INTEGER PRIMARY KEY,
  award_id INTEGER NOT NULL,
  edition_year INTEGER,
  jury_name TEXT,
  FOREIGN KEY (award_id) REFERENCES awards(award_id)
);

CREATE TABLE jury_members (
  member_no INTEGER PRIMARY KEY,
  jury_id INTEGER NOT NULL,
  member_name TEXT NOT NULL,
  profession TEXT,
  country TEXT,
  seat TEXT,
  FOREIGN KEY (jury_id) REFERENCES juries(jury_id)
);

INSERT INTO directors (director_id, director_name, nationality, birth_year) VALUES
  (1, 'Agnes Toller', 'Austria', 1962),
  (2, 'Bao Linh', 'Vietnam', 1984),
  (3, 'Carlos Mena', 'Mexico', 1971),
  (4, 'Dora Szabo', 'Hungary', 1979),
  (5, 'Emil Strand', 'Denmark', 1955),
  (6, 'Fatou Sarr', 'Senegal', 1990),
  (7, 'Gil Navarro', 'Spain', 1948),
  (8, 'Hana Kimura', 'Japan', 1987),
  (9, 'Ivo Marek', 'Czechia', NULL),
  (10, 'Jess Connolly', 'Ireland', 1993),
  (11, 'Kaan Demir', 'Turkey', 1976),
  (12, 'Lila Rossi', 'Italy', 1981),
  (13, 'Mads Holt', 'Denmark', 1968),
  (14, 'Noor Aziz', 'Jordan', 1995);

INSERT INTO films (film_id, title, original_title, country, language, genre, runtime_min, budget_musd, release_date) VALUES
  (1, 'The Quiet Mill', NULL, 'Austria', 'German', 'Drama', 112, 1.75, '2021-02-14'),
  (2, 'Monsoon Keys', 'Chìa khóa mùa mưa', 'Vietnam', 'Vietnamese', 'Drama', 98, 0.5, '2022-05-03'),
  (3, 'Desert Radio', 'Radio desierto', 'Mexico', 'Spanish', 'Comedy', 105, 2.5, '2020-09-11'),
  (4, 'Paper Bridge', 'Papírhíd', 'Hungary', 'Hungarian', 'Drama', 121, 1.0, '2022-01-20'),
  (5, 'Cold Harbour', 'Kold havn', 'Denmark', 'Danish', 'Thriller', 117, 4.0, '2019-11-08'),
  (6, 'Griot', NULL, 'Senegal', 'French', 'Documentary', 84, 0.25, '2022-07-01'),
  (7, 'Last Orchard', 'El último huerto', 'Spain', 'Spanish', 'Drama', 134, 2.25, '2018-03-16'),
  (8, 'Vending Machine Blues', 'Jihanki burusu', 'Japan', 'Japanese', 'Comedy', 92, 0.75, '2021-10-29'),
  (9, 'Clockwork Pigeons', 'Hodinoví holubi', 'Czechia', 'Czech', 'Animation', 76, 1.5, '2022-03-12'),
  (10, 'Peat', NULL, 'Ireland', 'English', 'Drama', 101, 1.0, '2022-06-18'),
  (11, 'Bosphorus Nights', 'Boğaz geceleri', 'Turkey', 'Turkish', 'Thriller', 124, 2.75, '2021-04-22'),
  (12, 'Nonna Drives', 'Nonna guida', 'Italy', 'Italian', 'Comedy', 96, 1.5, '2022-02-08'),
  (13, 'Salt and Sail', NULL, 'Denmark', 'Danish', 'Documentary', 71, NULL, '2021-08-30'),
  (14, 'Petra by Night', 'Batra laylan', 'Jordan', 'Arabic', 'Documentary', 88, 0.5, '2022-08-15'),
  (15, 'Two Trains', 'Dos trenes', 'Mexico', 'Spanish', 'Drama', 109, 2.0, '2022-04-05'),
  (16, 'Glacier Song', NULL, 'Austria', 'German', 'Documentary', 93, 0.75, '2020-12-04'),
  (17, 'The Lighthouse Twins', NULL, 'Ireland', 'English', 'Animation', 82, 2.0, '2021-12-17'),
  (18, 'Soroche', NULL, 'Spain', 'Spanish', 'Thriller', 115, NULL, '2022-09-09'),
  (19, 'Tram Number Nine', 'Kilences villamos', 'Hungary', 'Hungarian', 'Comedy', 99, 1.0, '2020-06-26'),
  (20, 'Kite Weather', 'Tako biyori', 'Japan', 'Japanese', 'Animation', 104, 5.25, '2022-07-22'),
  (21, 'Blue Hour Bakery', 'Den blå time', 'Denmark', 'Danish', 'Comedy', 94, 1.25, '2022-10-02'),
  (22, 'Stone Fathers', NULL, 'Italy', 'Italian', 'Drama', 142, 3.25, '2019-05-17'),
  (23, 'Night Shift Lullaby', NULL, 'Ireland', 'English', 'Drama', 89, NULL, NULL),
  (24, 'Marathon in Sand', NULL, 'Jordan', 'English', 'Documentary', 79, 0.5, NULL);

INSERT INTO film_directors (film_id, director_id) VALUES
  (1, 1),
  (2, 2),
  (3, 3),
  (4, 4),
  (5, 5),
  (5, 13),
  (6, 6),
  (7, 7),
  (8, 8),
  (9, 9),
  (10, 10),
  (11, 11),
  (12, 12),
  (13, 13),
  (14, 14),
  (15, 3),
  (16, 1),
  (16, 13),
  (17, 10),
  (18, 7),
  (19, 4),
  (20, 8),
  (21, 5),
  (22, 7),
  (22, 12),
  (23, 10),
  (24, 6),
  (24, 14);

INSERT INTO venues (venue_id, venue_name, quarter, capacity, has_subtitling, built_year) VALUES
  (1, 'Grand Kino', 'Centre', 620, 'yes', 1928),
  (2, 'Odeon Arts', 'Centre', 340, 'yes', 1961),
  (3, 'Boathouse', 'Riverside', 180, 'no', 2009),
  (4, 'Studio Nord', 'North End', 95, 'Yes', 1997),
  (5, 'Garden Screen', 'Riverside', 450, 'no', NULL),
  (6, 'Lumen Hall', 'University', 260, 'yes', 1983),
  (7, 'Tin Roof', 'North End', 120, 'No', 2014),
  (8, 'Old Mint', 'Old Town', 75, 'yes', 1911);

INSERT INTO screenings (screening_id, film_id, venue_id, screening_date, start_time, list_price, price, tickets_sold, free_passes) VALUES
  (1, 6, 7, '2022-10-12', '13:00', 9.5, 7.5, 50, 2),
  (2, 19, 1, '2022-10-13', '13:00', 16.0, 16.0, 446, 66),
  (3, 22, 3, '2022-10-07', '22:00', 14.0, 12.5, 107, 20),
  (4, 13, 3, '2022-10-09', '18:00', 10.0, 8.0, 50, 9),
  (5, 10, 2, '2022-10-13', '18:00', 14.5, 12.5, 125, 7),
  (6, 6, 1, '2022-10-13', '15:45', 14.0, 12.5, 297, 47),
  (7, 7, 3, '2022-10-14', '18:00', 8.0, 8.0, 162, 23),
  (8, 18, 2, '2022-10-11', '20:30', 14.5, 12.5, 143, 5),
  (9, 16, 1, '2022-10-14', '18:00', 12.5, 12.5, 495, 55),
  (10, 17, 6, '2022-10-13', '13:00', 12.0, 10.0, NULL, NULL),
  (11, 6, 5, '2022-10-06', '13:00', 9.5, 8.0, 330, 33),
  (12, 14, 3, '2022-10-11', '15:45', 9.0, 9.0, 110, 2),
  (13, 13, 6, '2022-10-14', '18:00', 7.5, 7.5, 176, 35),
  (14, 20, 5, '2022-10-11', '20:30', 10.0, 10.0, 110, 3),
  (15, 3, 2, '2022-10-12', '20:30', 12.5, 12.5, 287, 26),
  (16, 10, 1, '2022-10-10', '13:00', 15.5, 14.0, 523, 17),
  (17, 19, 5, '2022-10-09', '22:00', 9.5, 7.5, 172, 26),
  (18, 13, 6, '2022-10-08', '13:00', 11.5, 10.0, 238, 25),
  (19, 1, 4, '2022-10-12', '13:00', 10.0, 8.0, 81, 7),
  (20, 1, 4, '2022-10-09', '13:00', 11.0, 9.0, 61, 2),
  (21, 3, 4, '2022-10-10', '18:00', 12.5, 12.5, 45, 6),
  (22, 15, 1, '2022-10-07', '20:30', 16.0, 16.0, 527, 46),
  (23, 17, 1, '2022-10-07', '10:30', 12.5, 12.5, 328, 59),
  (24, 12, 6, '2022-10-15', '15:45', 9.5, 8.0, 183, 11),
  (25, 8, 7, '2022-10-11', '15:45', 7.5, 7.5, 87, 8),
  (26, 12, 7, '2023-10-06', '13:00', 9.5, 8.0, 106, 10),
  (27, 12, 1, '2023-10-10', '20:30', 14.0, 12.5, 316, 0),
  (28, 17, 2, '2023-10-10', '15:45', 14.5, 12.5, 108, 18),
  (29, 5, 1, '2023-10-14', '15:45', 15.5, 14.0, 505, 6),
  (30, 5, 5, '2023-10-14', '22:00', 12.5, 12.5, 257, 21),
  (31, 13, 1, '2023-10-09', '20:30', 16.0, 16.0, 460, 18),
  (32, 8, 6, '2023-10-08', '18:00', 10.0, 10.0, 139, 3),
  (33, 21, 7, '2023-10-12', '20:30', 12.0, 10.0, 37, 3),
  (34, 7, 5, '2023-10-14', '20:30', 9.0, 9.0, 234, 34),
  (35, 10, 6, '2023-10-12', '22:00', 10.5, 9.0, 93, 12),
  (36, 21, 2, '2023-10-10', '13:00', 9.5, 7.5, 179, 20),
  (37, 1, 6, '2023-10-09', '22:00', 12.0, 10.0, 63, 2),
  (38, 5, 7, '2023-10-08', '18:00', 9.5, 7.5, 81, 2),
  (39, 8, 2, '2023-10-12', '13:00', 10.0, 10.0, NULL, NULL),
  (40, 17, 6, '2023-10-14', '20:30', 10.0, 8.0, 196, 30),
  (41, 10, 5, '2023-10-09', '10:30', 8.0, 8.0, 392, 1),
  (42, 9, 4, '2023-10-07', '10:30', 12.5, 12.5, 67, 11),
  (43, 10, 3, '2023-10-11', '20:30', 7.5, 7.5, 160, 14),
  (44, 1, 2, '2023-10-11', '10:30', 8.0, 8.0, 107, 3),
  (45, 3, 5, '2023-10-11', '10:30', 11.5, 10.0, NULL, NULL),
  (46, 2, 1, '2023-10-10', '18:00', 18.0, 16.0, 296, 11),
  (47, 16, 6, '2023-10-05', '15:45', 9.5, 7.5, 64, 9),
  (48, 22, 1, '2023-10-13', '20:30', 16.0, 16.0, 475, 39);

INSERT INTO awards (award_id, award_name, category, prize_money) VALUES
  (1, 'Golden Lantern', 'Best Film', 20000),
  (2, 'Silver Lantern', 'Best Director', 10000),
  (3, 'River Prize', 'Best Documentary', 8000),
  (4, 'First Light', 'Best Debut', 6000),
  (5, 'Ink and Motion', 'Best Animation', 5000),
  (6, 'Audience Prize', 'Best Film', NULL),
  (7, 'Laughing Fox', 'Best Comedy', 3500);

INSERT INTO nominations (nomination_id, award_id, film_id, edition_year, won, jury_score) VALUES
  (1, 1, 1, 2022, 'N', 9.5),
  (2, 1, 3, 2022, 'Y', 6.25),
  (3, 1, 10, 2022, 'N', 7.25),
  (4, 1, 22, 2022, 'N', 7.75),
  (5, 2, 2, 2022, 'N', 5.0),
  (6, 2, 4, 2022, 'N', 7.0),
  (7, 2, 7, 2022, 'N', 6.25),
  (8, 2, 8, 2022, 'N', 8.0),
  (9, 2, 9, 2022, 'Y', 5.5),
  (10, 3, 14, 2022, 'Y', NULL),
  (11, 3, 16, 2022, 'N', 8.5),
  (12, 3, 24, 2022, 'N', 8.0),
  (13, 4, 4, 2022, 'N', 9.25),
  (14, 4, 6, 2022, 'Y', 6.75),
  (15, 4, 7, 2022, 'N', NULL),
  (16, 4, 9, 2022, 'N', 7.0),
  (17, 4, 10, 2022, 'N', 9.0),
  (18, 5, 9, 2022, 'Y', 8.5),
  (19, 5, 17, 2022, 'N', 9.0),
  (20, 5, 20, 2022, 'N', 5.5),
  (21, 6, 1, 2022, 'N', 5.25),
  (22, 6, 2, 2022, 'N', 6.75),
  (23, 6, 3, 2022, 'N', 6.75),
  (24, 6, 15, 2022, 'Y', NULL),
  (25, 6, 20, 2022, 'N', 8.5),
  (26, 7, 8, 2022, 'N', 7.75),
  (27, 7, 19, 2022, 'N', 7.5),
  (28, 7, 21, 2022, 'Y', 5.5),
  (29, 1, 1, 2023, 'N', 7.25),
  (30, 1, 4, 2023, 'N', 5.5),
  (31, 1, 5, 2023, 'N', 8.25),
  (32, 1, 10, 2023, 'N', 9.25),
  (33, 1, 20, 2023, 'Y', 8.25),
  (34, 2, 2, 2023, 'N', 7.75),
  (35, 2, 4, 2023, 'N', 7.75),
  (36, 2, 5, 2023, 'Y', 7.25),
  (37, 2, 9, 2023, 'N', 6.0),
  (38, 2, 10, 2023, 'N', 6.0),
  (39, 3, 6, 2023, 'Y', 5.5),
  (40, 3, 13, 2023, 'N', NULL),
  (41, 3, 24, 2023, 'N', 8.0),
  (42, 4, 1, 2023, 'N', NULL),
  (43, 4, 6, 2023, 'Y', 8.0),
  (44, 4, 7, 2023, 'N', 6.5),
  (45, 4, 8, 2023, 'N', 7.25),
  (46, 4, 17, 2023, 'N', 6.25),
  (47, 5, 9, 2023, 'Y', 8.75),
  (48, 5, 17, 2023, 'N', 7.75),
  (49, 5, 20, 2023, 'N', 8.75),
  (50, 6, 2, 2023, 'N', 5.25),
  (51, 6, 3, 2023, 'N', 7.5),
  (52, 6, 4, 2023, 'N', 8.5),
  (53, 6, 18, 2023, 'Y', 7.25),
  (54, 6, 22, 2023, 'N', 8.5),
  (55, 7, 3, 2023, 'N', 7.25),
  (56, 7, 8, 2023, 'N', 6.5),
  (57, 7, 19, 2023, 'Y', 8.25);

INSERT INTO juries (jury_id, award_id, edition_year, jury_name) VALUES
  (1, 1, 2022, 'Main Jury 2022'),
  (2, 2, 2022, 'Craft Jury 2022'),
  (3, 3, 2022, 'Documentary Jury 2022'),
  (4, 5, 2022, 'Animation Jury 2022'),
  (5, 1, 2023, 'Main Jury 2023'),
  (6, 3, 2023, 'Documentary Jury 2023'),
  (7, 7, 2023, 'Comedy Jury 2023');

INSERT INTO jury_members (member_no, jury_id, member_name, profession, country, seat) VALUES
  (1, 1, 'Rafael Dias', 'critic', 'Portugal', 'chair'),
  (2, 1, 'Signe Aalto', 'producer', 'Finland', 'member'),
  (3, 1, 'Monique Faure', 'actor', 'France', 'member'),
  (4, 1, 'Tariq Halabi', 'critic', 'Lebanon', 'member'),
  (5, 2, 'Greta Lom', 'composer', 'Czechia', 'chair'),
  (6, 2, 'Will Osei', 'editor', 'Ghana', 'member'),
  (7, 2, 'Colm Reilly', 'editor', 'Ireland', 'member'),
  (8, 3, 'Tariq Halabi', 'critic', 'Lebanon', 'chair'),
  (9, 3, 'Elsa Brandt', 'critic', 'Germany', 'member'),
  (10, 3, 'Rafael Dias', 'critic', 'Portugal', 'member'),
  (11, 4, 'Yumi Arai', 'animator', 'Japan', 'chair'),
  (12, 4, 'Pia Lund', 'Producer', 'Denmark', 'member'),
  (13, 4, 'Will Osei', 'editor', 'Ghana', 'member'),
  (14, 5, 'Andrés Soto', 'actor', 'Chile', 'chair'),
  (15, 5, 'Signe Aalto', 'producer', 'Finland', 'member'),
  (16, 5, 'Elsa Brandt', 'critic', 'Germany', 'member'),
  (17, 5, 'Monique Faure', 'actor', 'France', 'member'),
  (18, 5, 'Yumi Arai', 'animator', 'Japan', 'member'),
  (19, 6, 'Rafael Dias', 'critic', 'Portugal', 'chair'),
  (20, 6, 'Tariq Halabi', 'critic', 'Lebanon', 'member'),
  (21, 6, 'Will Osei', 'editor', 'Ghana', 'member'),
  (22, 7, 'Pia Lund', 'Producer', 'Denmark', 'chair'),
  (23, 7, 'Colm Reilly', 'editor', 'Ireland', 'member');
