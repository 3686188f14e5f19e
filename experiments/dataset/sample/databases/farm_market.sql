-- Farms selling their produce on stalls at the weekly markets of five towns.

CREATE TABLE farms (
  farm_id INTEGER PRIMARY KEY,
  name TEXT,
  region TEXT,
  hectares REAL,
  organic VARCHAR(3),
  founded INTEGER
);
CREATE TABLE markets (
  market_id INTEGER PRIMARY KEY,
  town TEXT,
  weekday VARCHAR(10),
  opened_year INTEGER,
  pitches INTEGER
);
CREATE TABLE produce (
  produce_id INTEGER PRIMARY KEY,
  name TEXT,
  kind VARCHAR(12),
  season VARCHAR(10)
);
CREATE TABLE stalls (
  stall_id INTEGER PRIMARY KEY,
  farm_id INTEGER,
  market_id INTEGER,
  weekly_fee REAL,
  since_year INTEGER,
  FOREIGN KEY (farm_id) REFERENCES farms (farm_id),
  FOREIGN KEY (market_id) REFERENCES markets (market_id)
);
CREATE TABLE sales (
  sale_id INTEGER PRIMARY KEY,
  stall_id INTEGER,
  produce_id INTEGER,
  sale_date DATE,
  kilos REAL,
  price_per_kilo REAL,
  FOREIGN KEY (stall_id) REFERENCES stalls (stall_id),
  FOREIGN KEY (produce_id) REFERENCES produce (produce_id)
);

INSERT INTO farms VALUES
  (1, 'Hollow Oak Farm', 'Westvale', 48.5, 'yes', 1962),
  (2, 'Larkfield', 'Westvale', 22.0, 'no', 1998),
  (3, 'Three Springs', 'Highmoor', 130.0, 'no', 1931),
  (4, 'Sunny Bank', 'Coastal Plain', 15.5, 'yes', 2011),
  (5, 'Kestrel Ridge', 'Highmoor', 96.0, 'yes', 1977),
  (6, 'Marsh End', 'Coastal Plain', 64.0, 'no', 1985),
  (7, 'Old Barn Growers', 'Westvale', 9.5, 'yes', 2016),
  (8, 'Pebble Brook', 'Coastal Plain', 38.0, NULL, 2003),
  (9, 'Redgate Dairy', 'Highmoor', 210.0, 'no', 1924),
  (10, 'Willow Patch', 'Westvale', 6.0, 'yes', 2020);

INSERT INTO markets VALUES
  (1, 'Ashcombe', 'Saturday', 1988, 40),
  (2, 'Port Ellery', 'Wednesday', 2004, 25),
  (3, 'Tinford', 'Sunday', 1996, 32),
  (4, 'Upper Wick', 'Saturday', 2012, 18),
  (5, 'Castle Green', 'Friday', 1979, 55);

INSERT INTO produce VALUES
  (1, 'Carrots', 'vegetable', 'autumn'),
  (2, 'Strawberries', 'fruit', 'summer'),
  (3, 'Goat Cheese', 'dairy', NULL),
  (4, 'Leeks', 'vegetable', 'winter'),
  (5, 'Apples', 'fruit', 'autumn'),
  (6, 'Honey', 'preserve', NULL),
  (7, 'Spinach', 'vegetable', 'spring'),
  (8, 'Plums', 'fruit', 'summer'),
  (9, 'Butter', 'dairy', NULL),
  (10, 'Rhubarb', 'vegetable', 'spring'),
  (11, 'Pumpkins', 'vegetable', 'autumn'),
  (12, 'Elderflower Cordial', 'preserve', 'summer');

INSERT INTO stalls VALUES
  (1, 1, 1, 37.0, 2020),
  (2, 1, 3, 50.0, 2018),
  (3, 1, 5, 56.0, 2017),
  (4, 2, 1, 53.0, 2017),
  (5, 2, 4, 61.0, 2019),
  (6, 3, 5, 78.0, 2019),
  (7, 3, 2, 55.0, 2018),
  (8, 4, 2, 86.0, 2018),
  (9, 4, 3, 87.0, 2017),
  (10, 5, 5, 62.0, 2023),
  (11, 5, 1, 25.0, 2020),
  (12, 6, 2, 70.0, 2023),
  (13, 7, 4, 69.0, 2023),
  (14, 7, 1, 30.0, 2023),
  (15, 7, 3, 65.0, 2021),
  (16, 9, 5, 75.0, 2023),
  (17, 9, 1, 71.0, 2019),
  (18, 9, 2, 39.0, 2022),
  (19, 9, 3, 91.0, 2022);

INSERT INTO sales VALUES
  (1, 12, 1, '2024-03-04', 57.0, 2.16),
  (2, 11, 6, '2024-03-07', 34.0, 15.4),
  (3, 3, 11, '2024-03-07', 31.0, 1.65),
  (4, 2, 11, '2024-03-07', 11.0, 1.65),
  (5, 3, 1, '2024-03-07', 11.5, 1.89),
  (6, 6, 1, '2024-03-24', 59.5, 2.16),
  (7, 17, 9, '2024-03-30', 50.5, 11.76),
  (8, 7, 5, '2024-04-03', 47.5, 3.19),
  (9, 17, 9, '2024-04-13', 41.5, 13.44),
  (10, 11, 6, '2024-04-16', 53.0, 13.3),
  (11, 6, 11, '2024-04-16', 17.0, 1.58),
  (12, 14, 2, '2024-04-21', 40.0, 5.76),
  (13, 9, 2, '2024-04-22', 59.5, 6.4),
  (14, 9, 7, '2024-04-26', 4.5, 4.6),
  (15, 10, 10, '2024-04-27', 1.0, 2.97),
  (16, 15, 6, '2024-05-01', 41.0, 13.3),
  (17, 16, 3, '2024-05-03', 35.5, 20.48),
  (18, 15, 6, '2024-05-11', 24.5, 16.8),
  (19, 16, 9, '2024-05-15', 20.0, 11.76),
  (20, 9, 2, '2024-05-21', 11.5, 7.04),
  (21, 9, 12, '2024-06-18', 13.5, 8.91),
  (22, 18, 3, '2024-06-27', 29.5, 18.52),
  (23, 17, 3, '2024-07-01', 52.5, 17.55),
  (24, 5, 2, '2024-07-03', 53.5, 5.76),
  (25, 5, 5, '2024-07-05', 43.0, 2.61),
  (26, 13, 12, '2024-07-08', 31.5, 9.4),
  (27, 17, 9, '2024-07-08', 22.5, 13.44),
  (28, 17, 9, '2024-07-11', 38.0, 12.32),
  (29, 12, 7, '2024-07-12', 5.0, 5.52),
  (30, 4, 5, '2024-07-13', 34.5, 3.04),
  (31, 11, 10, '2024-07-24', 41.5, 2.97),
  (32, 2, 11, '2024-08-02', 51.5, 1.5),
  (33, 18, 3, '2024-08-03', 56.0, 23.4),
  (34, 17, 9, '2024-08-08', 57.0, 11.2),
  (35, 8, 2, '2024-08-13', 35.0, 7.68),
  (36, 1, 4, '2024-08-20', 18.5, 2.16),
  (37, 4, 2, '2024-08-24', 59.5, 6.08),
  (38, 10, 3, '2024-09-05', 12.5, 21.45),
  (39, 3, 7, '2024-09-07', 46.0, 4.37),
  (40, 7, 11, '2024-09-09', 43.5, 1.58),
  (41, 8, 7, '2024-09-11', 58.5, 5.06),
  (42, 5, 5, '2024-09-16', 35.5, 2.9),
  (43, 4, 8, '2024-09-22', 56.5, 3.99),
  (44, 4, 8, '2024-09-23', 2.5, 4.56),
  (45, 3, 11, '2024-10-07', 26.5, 1.5),
  (46, 15, 8, '2024-10-10', 15.5, 3.8),
  (47, 3, 6, '2024-10-15', 25.0, 15.4),
  (48, 12, 7, '2024-10-23', 47.0, 4.83),
  (49, 15, 8, '2024-10-26', 15.5, 3.8),
  (50, 6, 5, '2024-10-27', 12.5, 2.61),
  (51, 4, 2, '2024-10-27', 17.5, 6.08),
  (52, 16, 3, '2024-10-31', 39.5, 19.5),
  (53, 18, 9, '2024-11-07', 10.0, 12.32),
  (54, 9, 2, '2024-11-11', 5.5, 6.72),
  (55, 18, 3, '2024-11-12', 33.5, 23.4),
  (56, 11, 3, '2024-11-12', 35.5, 18.52),
  (57, 8, 2, '2024-11-12', 37.5, 6.08),
  (58, 9, 7, '2024-11-12', 35.0, 4.37),
  (59, 11, 6, '2024-11-15', 37.0, 12.6),
  (60, 12, 7, '2024-11-30', 5.5, 5.52);
