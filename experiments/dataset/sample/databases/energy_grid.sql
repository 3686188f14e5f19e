-- A national electricity grid: regions, operators, power plants with their generating units, outages, maintenance jobs and interconnectors.

CREATE TABLE regions (
  region_id INTEGER PRIMARY KEY,
  region_name VARCHAR(40) NOT NULL,
  population INTEGER,
  peak_demand_mw REAL,
  area_km2 REAL
);

CREATE TABLE operators (
  operator_id INTEGER PRIMARY KEY,
  operator_name VARCHAR(60) NOT NULL,
  head_office TEXT,
  ownership TEXT, -- public, private or co-operative in any letter case
  founded_year INTEGER,
  employees INTEGER
);

CREATE TABLE plants (
  plant_id INTEGER PRIMARY KEY,
  plant_name VARCHAR(60) NOT NULL,
  region_id INTEGER NOT NULL,
  operator_id INTEGER NOT NULL,
  fuel TEXT, -- energy source in any letter case
  installed_capacity_mw REAL, -- on the name plate
  available_capacity_mw REAL, -- what can be delivered today
  opening_date TEXT, -- YYYY-MM-DD, the ceremony
  grid_connection_date TEXT, -- YYYY-MM-DD, first power to the grid
  co2_kg_per_mwh REAL, -- NULL where never measured
  FOREIGN KEY (region_id) REFERENCES regions(region_id),
  FOREIGN KEY (operator_id) REFERENCES operators(operator_id)
);

CREATE TABLE units (
  unit_id INTEGER PRIMARY KEY,
  plant_id INTEGER NOT NULL,
  unit_code VARCHAR(12),
  technology TEXT,
  rated_mw REAL,
  commissioned_year INTEGER,
  status TEXT,
  efficiency_pct REAL,
  FOREIGN KEY (plant_id) REFERENCES plants(plant_id)
);

CREATE TABLE outages (
  outage_id INTEGER PRIMARY KEY,
  unit_id INTEGER NOT NULL,
  start_date TEXT, -- YYYY-MM-DD
  end_date TEXT, -- YYYY-MM-DD, NULL while it goes on
  kind TEXT, -- forced or planned in any letter case
  cause TEXT,
  energy_lost_mwh TEXT, -- a whole number of megawatt hours kept as text, so it compares and sorts as text, NULL where unknown
  customers_affected INTEGER,
  FOREIGN KEY (unit_id) REFERENCES units(unit_id)
);

CREATE TABLE maintenance (
  job_id INTEGER PRIMARY KEY,
  unit_id INTEGER NOT NULL,
  contractor TEXT, -- in-house for own staff
  job_type TEXT, -- in any letter case
  scheduled_date TEXT, -- YYYY-MM-DD
  completed_date TEXT, -- YYYY-MM-DD, NULL while not done
  estimated_cost REAL,
  actual_cost REAL,
  crew_size INTEGER,
  FOREIGN KEY (unit_id) REFERENCES units(unit_id)
);

CREATE TABLE interconnectors (
  link_id INTEGER PRIMARY KEY,
  from_region_id INTEGER NOT NULL,
  to_region_id INTEGER NOT NULL,
  capacity_mw REAL,
  length_km REAL,
  voltage_kv INTEGER,
  FOREIGN KEY (from_region_id) REFERENCES regions(region_id),
  FOREIGN KEY (to_region_id) REFERENCES regions(region_id)
);

INSERT INTO regions VALUES
  (1, 'Northern Fells', 1240000, 2150.0, 18400.0),
  (2, 'Eastmark', 3310000, 5480.0, 9900.0),
  (3, 'Saltmarsh Coast', 870000, 1320.0, 6150.0),
  (4, 'Central Basin', 4620000, 7910.0, 12700.0),
  (5, 'Sierra Alta', 540000, 940.0, 21300.0),
  (6, 'Isle of Corran', 96000, 185.0, 1420.0);

INSERT INTO operators VALUES
  (1, 'Corran Energy Trust', 'Port Corran', 'Co-operative', 1988, 140),
  (2, 'Eastmark Power', 'Marklund', 'public', 1952, 3850),
  (3, 'Helion Renewables', 'Solano', 'private', 2007, 620),
  (4, 'Basin Generation', 'Old Quay', 'Private', 1969, 2740),
  (5, 'Fellwater Hydro', 'Kirkdale', 'public', 1934, 910),
  (6, 'Tidewell', 'Saltmarsh', 'private', 2015, 205),
  (7, 'Sierra Viento', 'Alta Cumbre', 'Private', 2010, NULL),
  (8, 'Union Nuclear', 'Marklund', 'Public', 1961, 1980);

INSERT INTO plants VALUES
  (1, 'Kirkdale Dam', 1, 5, 'hydro', 620.0, 500.0, '1958-06-14', '1957-11-02', NULL),
  (2, 'Fell Top Wind Farm', 1, 3, 'Wind', 210.0, 205.5, '2013-09-30', '2013-07-18', 0.0),
  (3, 'Marklund A', 2, 2, 'coal', 1450.0, 980.0, '1971-04-01', '1970-12-15', 931.0),
  (4, 'Marklund B', 2, 2, 'gas', 1200.0, 1160.0, '1998-10-12', '1998-08-03', 402.5),
  (5, 'Greystone Reactor', 2, 8, 'nuclear', 1980.0, 1905.0, '1984-02-20', '1983-10-27', NULL),
  (6, 'Saltmarsh Tidal', 3, 6, 'tidal', 85.0, 61.0, '2019-05-06', '2019-04-22', 0.0),
  (7, 'Gull Point Wind', 3, 6, 'Wind', 324.0, 318.0, '2021-11-25', '2021-08-09', 0.0),
  (8, 'Old Quay', 4, 4, 'gas', 890.0, 845.0, '2004-03-17', '2004-01-11', 377.0),
  (9, 'Basin North', 4, 4, 'coal', 1620.0, 1490.0, '1979-08-08', '1979-03-30', 958.4),
  (10, 'Basin South', 4, 4, 'Gas', 760.0, 702.0, '2011-07-01', '2011-05-19', 361.2),
  (11, 'Solano Fields', 4, 3, 'Solar', 410.0, 410.0, '2018-04-23', '2018-02-28', 0.0),
  (12, 'Alta Cumbre Wind', 5, 7, 'wind', 276.0, 264.0, '2012-12-03', '2012-10-16', 0.0),
  (13, 'Sierra Solar', 5, 2, 'solar', 188.0, 171.0, '2020-06-29', '2020-06-01', 0.0),
  (14, 'Laguna Dam', 5, 5, 'hydro', 305.0, 250.0, '1966-09-09', '1966-05-25', NULL),
  (15, 'Corran Bay', 6, 1, 'diesel', 34.0, 29.0, '1992-01-27', '1991-12-05', 712.0),
  (16, 'Corran Hill Wind', 6, 1, 'wind', 22.0, 22.0, '2016-08-15', '2016-07-01', 0.0),
  (17, 'Reedham Peaker', 3, 4, 'gas', 150.0, 0.0, '2001-05-05', NULL, 455.0);

INSERT INTO units VALUES
  (1, 1, 'KD1-1', 'Francis turbine', 155.0, 1958, 'Standby', 89.6),
  (2, 1, 'KD1-2', 'Francis turbine', 155.0, 1958, 'Under repair', 88.3),
  (3, 1, 'KD1-3', 'Francis turbine', 155.0, 1958, 'running', 90.4),
  (4, 1, 'KD1-4', 'Francis turbine', 167.4, 1958, 'Running', 90.6),
  (5, 2, 'FTWF2-1', 'horizontal-axis turbine', 113.4, 2013, 'running', 40.8),
  (6, 2, 'FTWF2-2', 'horizontal-axis turbine', 105.0, 2013, 'Running', NULL),
  (7, 3, 'MA3-1', 'steam turbine', 483.3, 1971, 'Running', 36.0),
  (8, 3, 'MA3-2', 'steam turbine', 483.3, 1973, 'Running', NULL),
  (9, 3, 'MA3-3', 'steam turbine', 522.0, 1973, 'Running', 36.9),
  (10, 4, 'MB4-1', 'combined cycle', 368.0, 1998, 'Running', 54.6),
  (11, 4, 'MB4-2', 'combined cycle', 368.0, 2000, 'running', 53.0),
  (12, 4, 'MB4-3', 'open cycle', 368.0, 2000, 'Running', 54.9),
  (13, 5, 'GR5-1', 'pressurised water', 990.0, 1984, 'Running', NULL),
  (14, 5, 'GR5-2', 'pressurised water', 1069.2, 1985, 'Running', 34.5),
  (15, 6, 'ST6-1', 'stream turbine', 42.5, 2019, 'Running', 38.0),
  (16, 6, 'ST6-2', 'stream turbine', 45.9, 2019, 'Standby', 38.7),
  (17, 7, 'GPW7-1', 'horizontal-axis turbine', 116.6, 2021, 'Running', 43.3),
  (18, 7, 'GPW7-2', 'horizontal-axis turbine', 108.0, 2023, 'Mothballed', 42.3),
  (19, 7, 'GPW7-3', 'horizontal-axis turbine', 99.4, 2021, 'Running', NULL),
  (20, 8, 'OQ8-1', 'combined cycle', 445.0, 2004, 'Under repair', 54.7),
  (21, 8, 'OQ8-2', 'combined cycle', 445.0, 2005, 'Running', 54.9),
  (22, 9, 'BN9-1', 'steam turbine', 540.0, 1979, 'Under repair', 36.9),
  (23, 9, 'BN9-2', 'steam turbine', 583.2, 1979, 'running', 38.8),
  (24, 9, 'BN9-3', 'steam turbine', 496.8, 1983, 'Running', 38.8),
  (25, 10, 'BS10-1', 'combined cycle', 380.0, 2011, 'Running', 53.9),
  (26, 10, 'BS10-2', 'combined cycle', 380.0, 2012, 'Running', 54.3),
  (27, 11, 'SF11-1', 'photovoltaic', 188.6, 2018, 'Running', 18.6),
  (28, 11, 'SF11-2', 'photovoltaic', 205.0, 2019, 'Running', NULL),
  (29, 12, 'ACW12-1', 'horizontal-axis turbine', 127.0, 2012, 'Standby', 43.1),
  (30, 12, 'ACW12-2', 'horizontal-axis turbine', 138.0, 2013, 'Running', 43.0),
  (31, 13, 'SS13-1', 'photovoltaic', 203.0, 2020, 'running', NULL),
  (32, 14, 'LD14-1', 'Francis turbine', 140.3, 1966, 'Running', 88.5),
  (33, 14, 'LD14-2', 'Francis turbine', 140.3, 1967, 'Standby', 91.7),
  (34, 15, 'CB15-1', 'reciprocating engine', 10.4, 1992, 'Mothballed', 38.7),
  (35, 15, 'CB15-2', 'reciprocating engine', 10.4, 1994, 'Under repair', 38.8),
  (36, 15, 'CB15-3', 'reciprocating engine', 10.4, 1996, 'Running', 37.0),
  (37, 16, 'CHW16-1', 'horizontal-axis turbine', 20.2, 2016, 'Running', 42.9),
  (38, 17, 'RP17-1', 'open cycle', 162.0, 2001, 'Mothballed', 55.2);

INSERT INTO outages VALUES
  (1, 5, '2023-02-02', '2023-02-14', 'planned', 'scheduled overhaul', '11080', NULL),
  (2, 9, '2023-02-10', '2023-02-14', 'planned', 'statutory inspection', '22867', 2300),
  (3, 25, '2023-02-16', '2023-03-09', 'Forced', 'grid fault', '83069', 120),
  (4, 27, '2023-03-01', '2023-03-06', 'planned', NULL, '8499', 0),
  (5, 27, '2023-03-26', '2023-04-06', 'forced', 'inverter failure', '32146', 14800),
  (6, 30, '2023-04-28', '2023-05-14', 'forced', 'gearbox failure', NULL, 14800),
  (7, 27, '2023-05-21', '2023-06-10', 'Forced', NULL, '51647', 2300),
  (8, 34, '2023-05-30', '2023-06-15', 'forced', 'overheating', NULL, 120),
  (9, 33, '2023-06-17', '2023-06-25', 'forced', 'turbine vibration', '15916', 14800),
  (10, 1, '2023-06-23', '2023-07-19', 'Planned', 'statutory inspection', '43046', 2300),
  (11, 20, '2023-06-24', '2023-07-11', 'planned', NULL, '91129', 0),
  (12, 2, '2023-06-29', '2023-07-19', 'planned', 'statutory inspection', '34591', NULL),
  (13, 26, '2023-06-30', '2023-07-01', 'planned', 'scheduled overhaul', '3901', 900),
  (14, 1, '2023-07-08', '2023-07-27', 'forced', 'gate repair', '47824', 31000),
  (15, 27, '2023-07-09', '2023-07-24', 'planned', 'statutory inspection', '15821', 14800),
  (16, 20, '2023-07-22', '2023-07-28', 'planned', 'scheduled overhaul', '30409', NULL),
  (17, 24, '2023-07-24', '2023-07-27', 'planned', 'scheduled overhaul', '11932', NULL),
  (18, 5, '2023-07-27', '2023-07-30', 'planned', 'statutory inspection', NULL, 0),
  (19, 9, '2023-08-17', '2023-09-13', 'Forced', 'grid fault', NULL, 120),
  (20, 20, '2023-08-24', '2023-09-07', 'Planned', 'scheduled overhaul', '34929', NULL),
  (21, 7, '2023-10-09', '2023-10-28', 'planned', 'scheduled overhaul', '125876', 120),
  (22, 1, '2023-10-21', '2023-11-06', 'forced', 'gate repair', '39834', 5400),
  (23, 4, '2023-11-10', '2023-12-01', 'forced', 'gate repair', '29117', 900),
  (24, 18, '2023-11-25', '2023-12-12', 'forced', 'gearbox failure', NULL, 900),
  (25, 26, '2023-12-13', '2024-01-05', 'forced', 'compressor fault', '77779', 0),
  (26, 6, '2023-12-30', '2024-01-07', 'Forced', 'gearbox failure', '8695', 5400),
  (27, 7, '2024-01-10', '2024-01-12', 'planned', 'statutory inspection', '15596', NULL),
  (28, 16, '2024-01-13', '2024-01-18', 'planned', 'scheduled overhaul', '2136', 2300),
  (29, 24, '2024-01-29', '2024-02-11', 'Forced', 'coal supply', '95411', 2300),
  (30, 30, '2024-03-05', '2024-03-24', 'Forced', 'lightning strike', NULL, 900),
  (31, 13, '2024-03-06', '2024-03-12', 'planned', 'refuelling', '31324', 31000),
  (32, 25, '2024-03-10', '2024-04-09', 'forced', 'grid fault', '118410', 0),
  (33, 14, '2024-03-31', '2024-04-28', 'forced', 'sensor replacement', '459964', 120),
  (34, 18, '2024-04-09', '2024-05-01', 'forced', 'gearbox failure', '25148', 0),
  (35, 25, '2024-04-25', '2024-05-18', 'Forced', 'compressor fault', '89846', 120),
  (36, 9, '2024-05-01', '2024-05-25', 'planned', 'scheduled overhaul', NULL, NULL),
  (37, 2, '2024-05-07', '2024-06-06', 'planned', 'statutory inspection', NULL, NULL),
  (38, 22, '2024-05-13', '2024-06-06', 'forced', 'boiler leak', NULL, 31000),
  (39, 12, '2024-06-16', '2024-07-07', 'planned', 'scheduled overhaul', '104459', NULL),
  (40, 32, '2024-06-18', '2024-06-24', 'forced', 'turbine vibration', '9580', 5400),
  (41, 7, '2024-06-30', '2024-07-30', 'planned', 'scheduled overhaul', '188392', 31000),
  (42, 28, '2024-07-19', '2024-07-29', 'Planned', 'statutory inspection', '31367', 900),
  (43, 13, '2024-07-24', '2024-08-11', 'planned', 'refuelling', '283751', 0),
  (44, 37, '2024-08-21', '2024-09-18', 'Forced', 'lightning strike', '6956', 31000),
  (45, 37, '2024-08-27', '2024-09-13', 'forced', 'gearbox failure', '4638', 2300),
  (46, 31, '2024-09-27', '2024-10-15', 'Forced', NULL, '31207', 0),
  (47, 18, '2024-10-04', '2024-10-22', 'Forced', 'lightning strike', '15043', 0),
  (48, 30, '2024-10-05', '2024-10-07', 'Forced', 'gearbox failure', '2148', 900),
  (49, 20, '2024-10-12', '2024-10-26', 'Forced', 'compressor fault', '58302', 0),
  (50, 20, '2024-10-18', '2024-11-02', 'planned', 'scheduled overhaul', '87114', 0),
  (51, 4, '2024-10-31', '2024-11-11', 'planned', 'scheduled overhaul', '12581', NULL),
  (52, 23, '2024-11-13', '2024-12-01', 'forced', 'grid fault', '65714', 120),
  (53, 25, '2024-11-16', NULL, 'forced', 'grid fault', NULL, 5400),
  (54, 14, '2024-11-21', NULL, 'forced', 'grid fault', NULL, 0);

INSERT INTO maintenance VALUES
  (1, 24, 'Ironbridge Services', 'repair', '2023-01-06', '2023-01-08', 88500.0, 141600.0, 17),
  (2, 27, 'Turbine Doctors', 'Repair', '2023-02-07', '2023-02-16', 110000.0, 104500.0, 3),
  (3, 7, 'Ironbridge Services', 'overhaul', '2023-02-23', '2023-02-24', 100000.0, 125000.0, 17),
  (4, 33, 'Ironbridge Services', 'inspection', '2023-02-27', '2023-02-27', 52000.0, 65000.0, 18),
  (5, 12, 'in-house', 'overhaul', '2023-04-21', '2023-05-05', 90500.0, 72400.0, 18),
  (6, 26, 'Turbine Doctors', 'repair', '2023-05-06', '2023-06-05', 92000.0, 92000.0, 24),
  (7, 38, 'Ironbridge Services', 'cleaning', '2023-05-14', '2023-05-14', 106000.0, 106000.0, 18),
  (8, 14, 'Volta Crew', 'overhaul', '2023-06-01', '2023-06-06', 7000.0, 5600.0, 2),
  (9, 19, 'Halden Marine', 'overhaul', '2023-06-18', '2023-06-20', 100000.0, 80000.0, 24),
  (10, 38, 'Volta Crew', 'overhaul', '2023-06-29', '2023-07-01', 15500.0, 12400.0, 19),
  (11, 30, 'Turbine Doctors', 'Repair', '2023-07-29', NULL, 89500.0, NULL, 7),
  (12, 36, 'Volta Crew', 'overhaul', '2023-07-30', NULL, 82500.0, NULL, 5),
  (13, 38, 'Volta Crew', 'overhaul', '2023-08-05', '2023-08-14', 16500.0, 15680.0, 21),
  (14, 5, 'Volta Crew', 'inspection', '2023-08-13', '2023-08-14', 56500.0, 90400.0, 22),
  (15, 5, 'in-house', 'repair', '2023-08-26', '2023-09-09', 58000.0, 58000.0, 9),
  (16, 21, 'Volta Crew', 'Repair', '2023-09-03', '2023-09-17', 81000.0, 81000.0, 2),
  (17, 10, 'in-house', 'inspection', '2023-09-09', '2023-09-09', 75000.0, 82500.0, 15),
  (18, 13, 'Ironbridge Services', 'inspection', '2023-10-06', '2023-10-15', 86500.0, 138400.0, 17),
  (19, 9, 'Turbine Doctors', 'inspection', '2023-10-15', '2023-10-15', 112500.0, 112500.0, 24),
  (20, 33, 'Ironbridge Services', 'inspection', '2023-11-11', '2023-11-11', 90000.0, 85500.0, 12),
  (21, 10, 'Turbine Doctors', 'cleaning', '2023-11-25', '2023-12-04', 17000.0, 18700.0, 12),
  (22, 12, 'Volta Crew', 'inspection', '2023-12-12', '2023-12-12', 108000.0, 86400.0, 12),
  (23, 25, 'Ironbridge Services', 'inspection', '2024-01-02', '2024-01-03', 91000.0, 113750.0, 14),
  (24, 37, 'Halden Marine', 'inspection', '2024-01-05', '2024-02-04', 19000.0, 20900.0, 23),
  (25, 1, 'Ironbridge Services', 'Repair', '2024-01-15', '2024-02-14', 47500.0, 59380.0, 24),
  (26, 20, 'Volta Crew', 'overhaul', '2024-02-11', '2024-02-11', 65000.0, 65000.0, 14),
  (27, 10, 'Ironbridge Services', 'repair', '2024-03-09', NULL, 86000.0, NULL, 5),
  (28, 20, 'in-house', 'Repair', '2024-03-19', '2024-04-02', 112500.0, 90000.0, 3),
  (29, 16, 'Halden Marine', 'inspection', '2024-03-24', NULL, 38500.0, NULL, 10),
  (30, 7, 'Turbine Doctors', 'inspection', '2024-04-01', '2024-05-01', 27000.0, 29700.0, 4),
  (31, 31, 'Volta Crew', 'overhaul', '2024-04-05', '2024-04-14', 14500.0, 11600.0, 2),
  (32, 2, 'in-house', 'inspection', '2024-04-21', '2024-04-26', 53000.0, 84800.0, 3),
  (33, 14, 'Ironbridge Services', 'Repair', '2024-04-24', NULL, 60500.0, NULL, 18),
  (34, 6, 'Turbine Doctors', 'repair', '2024-05-03', '2024-05-08', 111000.0, 138750.0, 2),
  (35, 4, 'Turbine Doctors', 'repair', '2024-05-12', '2024-05-13', 103500.0, 113850.0, 23),
  (36, 3, 'Turbine Doctors', 'Repair', '2024-05-22', '2024-05-24', 102500.0, 128120.0, 14),
  (37, 1, 'Halden Marine', 'inspection', '2024-06-16', NULL, 22500.0, NULL, 15),
  (38, 5, 'Halden Marine', 'inspection', '2024-07-01', '2024-07-10', 57500.0, 54620.0, 17),
  (39, 25, 'Volta Crew', 'Repair', '2024-07-03', '2024-07-08', 85000.0, 68000.0, 4),
  (40, 5, 'Volta Crew', 'cleaning', '2024-08-02', '2024-08-16', 56000.0, 53200.0, 2),
  (41, 34, 'Volta Crew', 'inspection', '2024-08-17', '2024-08-26', 21000.0, 21000.0, 13),
  (42, 2, 'Halden Marine', 'inspection', '2024-09-06', '2024-09-06', 58500.0, 46800.0, 22),
  (43, 25, 'in-house', 'cleaning', '2024-09-16', '2024-09-25', 23000.0, 23000.0, 19),
  (44, 6, 'Halden Marine', 'overhaul', '2024-10-11', '2024-10-16', 86000.0, 86000.0, 13),
  (45, 33, 'in-house', 'inspection', '2024-11-19', NULL, 34500.0, NULL, 10),
  (46, 2, 'Volta Crew', 'Repair', '2024-12-06', NULL, 21000.0, NULL, 23);

INSERT INTO interconnectors VALUES
  (1, 1, 2, 1400.0, 162.5, 400),
  (2, 2, 4, 2600.0, 118.0, 400),
  (3, 2, 3, 900.0, 87.4, 275),
  (4, 4, 5, 700.0, 205.3, 275),
  (5, 4, 1, 1100.0, 241.8, 400),
  (6, 3, 6, 80.0, 46.2, 132),
  (7, 3, 4, 650.0, 139.9, 275),
  (8, 1, 5, 300.0, 318.6, NULL);
