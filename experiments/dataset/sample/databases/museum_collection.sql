-- A small art museum: artists, the works it owns, the galleries they hang in and the exhibitions they were lent to.

CREATE TABLE artists (
  artist_id INTEGER PRIMARY KEY,
  name TEXT,
  country TEXT,
  birth_year INTEGER,
  death_year INTEGER
);
CREATE TABLE galleries (
  gallery_id INTEGER PRIMARY KEY,
  name TEXT,
  floor INTEGER,
  area_m2 REAL
);
CREATE TABLE artworks (
  artwork_id INTEGER PRIMARY KEY,
  title TEXT,
  artist_id INTEGER,
  gallery_id INTEGER,
  year_made INTEGER,
  medium VARCHAR(20),
  insured_value REAL,
  FOREIGN KEY (artist_id) REFERENCES artists (artist_id),
  FOREIGN KEY (gallery_id) REFERENCES galleries (gallery_id)
);
CREATE TABLE exhibitions (
  exhibition_id INTEGER PRIMARY KEY,
  title TEXT,
  start_date DATE,
  end_date DATE,
  curator TEXT,
  visitors INTEGER
);
CREATE TABLE exhibition_items (
  exhibition_id INTEGER,
  artwork_id INTEGER,
  PRIMARY KEY (exhibition_id, artwork_id),
  FOREIGN KEY (exhibition_id) REFERENCES exhibitions (exhibition_id),
  FOREIGN KEY (artwork_id) REFERENCES artworks (artwork_id)
);

INSERT INTO artists VALUES
  (1, 'Marta Velez', 'Spain', 1881, 1949),
  (2, 'Henrik Stave', 'Norway', 1902, 1977),
  (3, 'Lucille Arden', 'France', 1868, 1931),
  (4, 'Kofi Mensah-Brew', 'Ghana', 1934, 2008),
  (5, 'Yuki Hoshino', 'Japan', 1951, NULL),
  (6, 'Piet Vandaele', 'Belgium', 1845, 1910),
  (7, 'Rosa Ibarra', 'Mexico', 1910, 1988),
  (8, 'Anton Gruber', 'Austria', 1890, 1962),
  (9, 'Nadia Sahli', 'Tunisia', 1968, NULL),
  (10, 'Edmund Thorne', 'England', 1830, 1899),
  (11, 'Céline Aubry', 'France', 1925, 2001),
  (12, 'Joana Peixoto', 'Portugal', 1975, NULL);

INSERT INTO galleries VALUES
  (1, 'Atrium Hall', 0, 420.0),
  (2, 'Lantern Room', 1, 180.5),
  (3, 'North Gallery', 1, 260.0),
  (4, 'Print Cabinet', 2, 75.0),
  (5, 'Sculpture Court', 0, 510.0),
  (6, 'Tower Room', 3, 60.0);

INSERT INTO artworks VALUES
  (1, 'Harvest at Dusk', 2, 5, NULL, 'marble', 54000.0),
  (2, 'The Ferryman', 3, 3, 1910, 'oil', 960000.0),
  (3, 'Blue Interior', 9, 3, 2010, 'watercolour', 927000.0),
  (4, 'Study of Hands', 3, 2, NULL, 'oil', 189000.0),
  (5, 'Salt Market', 2, 5, 1928, 'marble', 898000.0),
  (6, 'Winter Quay', 10, 2, 1893, 'oil', 649000.0),
  (7, 'Portrait of a Clockmaker', 7, 3, 1986, 'watercolour', 797000.0),
  (8, 'Orchard Gate', 3, 3, 1916, 'oil', 110000.0),
  (9, 'Three Sisters', 3, NULL, 1929, 'oil', 47000.0),
  (10, 'Night Tram', 1, 1, NULL, 'watercolour', 397000.0),
  (11, 'The Empty Chair', 7, 1, 1986, 'oil', 274000.0),
  (12, 'Copper Kettle', 8, 1, 1910, 'oil', 19000.0),
  (13, 'Red Dunes', 7, 3, 1943, 'watercolour', 226000.0),
  (14, 'Letter from Oran', 1, 3, 1928, 'watercolour', 944000.0),
  (15, 'Standing Figure', 7, 1, 1960, 'watercolour', 214000.0),
  (16, 'Rain on Slate', 6, 5, 1879, 'marble', 135000.0),
  (17, 'Garden of Reeds', 11, 1, 1948, 'oil', 374000.0),
  (18, 'Two Herons', 9, 3, 2012, 'bronze', 138000.0),
  (19, 'The Glass Blower', 6, 2, 1880, 'ink', 907000.0),
  (20, 'Fish Vendor', 5, 3, 2006, 'oil', 233000.0),
  (21, 'Broken Column', 3, 3, 1903, 'watercolour', 713000.0),
  (22, 'Morning Mass', 3, 5, 1927, 'bronze', 817000.0),
  (23, 'Paper Lantern', 2, 2, 1961, 'lithograph', 677000.0),
  (24, 'Iron Bridge', 5, NULL, 2006, 'watercolour', 210000.0),
  (25, 'Quiet Harbour', 10, 2, 1897, 'oil', 454000.0),
  (26, 'Dancer Resting', 4, 5, 1970, 'bronze', 251000.0),
  (27, 'The Map Room', 5, 5, 1999, 'bronze', 323000.0),
  (28, 'Seated Woman', 5, NULL, 1989, 'oil', 924000.0),
  (29, 'Fallow Field', 1, 1, 1926, 'oil', 673000.0),
  (30, 'Moth and Lamp', 11, NULL, 1989, 'oil', 367000.0),
  (31, 'Stone Bird', 7, 1, 1972, 'watercolour', 204000.0),
  (32, 'Chapel Road', 4, 5, 1972, 'bronze', 313000.0),
  (33, 'Old Customs House', 2, 1, 1938, 'oil', 307000.0),
  (34, 'Echo No. 4', 8, 4, 1932, 'lithograph', 352000.0),
  (35, 'Wave Pattern', 11, 1, 1999, 'watercolour', 894000.0),
  (36, 'Self-Portrait in Grey', 8, 2, 1923, 'oil', 479000.0);

INSERT INTO exhibitions VALUES
  (1, 'Light and Labour', '2019-03-01', '2019-06-30', 'Paula Finch', 18400),
  (2, 'Lines on Paper', '2019-10-12', '2020-01-19', 'Omar Haddad', 9650),
  (3, 'Women at the Easel', '2021-04-03', '2021-09-05', 'Paula Finch', 27130),
  (4, 'Coast and Harbour', '2022-02-11', '2022-05-29', 'Ruth Lindgren', 15980),
  (5, 'Form in Bronze and Stone', '2022-09-17', '2023-01-08', 'Omar Haddad', 12240),
  (6, 'A Century in Colour', '2023-05-06', '2023-10-01', 'Paula Finch', 31875),
  (7, 'Quiet Rooms', '2024-03-09', '2024-06-23', 'Ruth Lindgren', 11020),
  (8, 'New Arrivals', '2024-11-02', '2025-02-16', 'Ismael Torres', NULL);

INSERT INTO exhibition_items VALUES
  (1, 2),
  (1, 3),
  (1, 14),
  (1, 22),
  (1, 23),
  (1, 30),
  (1, 35),
  (2, 16),
  (2, 20),
  (2, 22),
  (2, 34),
  (3, 11),
  (3, 13),
  (3, 19),
  (3, 24),
  (3, 25),
  (3, 29),
  (3, 30),
  (3, 34),
  (3, 36),
  (4, 3),
  (4, 13),
  (4, 18),
  (4, 24),
  (4, 25),
  (4, 28),
  (5, 3),
  (5, 6),
  (5, 12),
  (5, 15),
  (5, 24),
  (6, 1),
  (6, 3),
  (6, 16),
  (6, 17),
  (6, 27),
  (6, 29),
  (6, 30),
  (6, 32),
  (6, 33),
  (6, 35),
  (6, 36),
  (7, 4),
  (7, 5),
  (7, 21);
