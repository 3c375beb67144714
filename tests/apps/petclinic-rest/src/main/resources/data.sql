INSERT INTO pet_types (name) VALUES ('cat'), ('dog'), ('rabbit'), ('parrot'), ('tortoise'), ('hamster');

INSERT INTO specialties (name) VALUES ('dentistry'), ('surgery'), ('radiology');

INSERT INTO vets (first_name, last_name) VALUES
  ('Clover', 'Underhill'), ('Rowan', 'Brightwater'), ('Sorrel', 'Longbarrow'),
  ('Tansy', 'Millbrook'), ('Yarrow', 'Fairweather'), ('Bryony', 'Highfield');

INSERT INTO vet_specialties (vet_id, specialty_id) VALUES (2, 3), (3, 1), (3, 2), (4, 2), (5, 3);

INSERT INTO owners (first_name, last_name, address, city, telephone) VALUES
  ('Fern', 'Hollow', '12 Orchard Row', 'Ashford', '5550100001'),
  ('Basil', 'Thornbury', '7 Weir Lane', 'Ashford', '5550100002'),
  ('Hazel', 'Marsh', '31 Granary Street', 'Brockdale', '5550100003'),
  ('Reed', 'Willowby', '4 Ferry Steps', 'Brockdale', '5550100004'),
  ('Ivy', 'Stonebridge', '88 Quarry Road', 'Carrick', '5550100005'),
  ('Sage', 'Coldwell', '19 Chapel Hill', 'Carrick', '5550100006'),
  ('Linden', 'Foxgrove', '2 Harbour View', 'Dunmere', '5550100007'),
  ('Olive', 'Westerly', '56 Market Place', 'Dunmere', '5550100008'),
  ('Aspen', 'Redfern', '23 Station Road', 'Elmstead', '5550100009'),
  ('Laurel', 'Northway', '9 Mill Pond Close', 'Elmstead', '5550100010'),
  ('Heath', 'Larkwood', '41 Bridge Street', 'Ashford', '5550100011');

INSERT INTO pets (name, birth_date, type_id, owner_id) VALUES
  ('Biscuit', DATE '2018-09-07', 1, 1),
  ('Pepper', DATE '2019-08-06', 6, 2),
  ('Conker', DATE '2017-04-17', 2, 3),
  ('Nutmeg', DATE '2020-03-07', 2, 3),
  ('Juniper', DATE '2021-11-30', 5, 4),
  ('Marble', DATE '2016-01-20', 3, 5),
  ('Tinker', DATE '2019-09-04', 1, 6),
  ('Bramble', DATE '2022-09-04', 1, 6),
  ('Captain', DATE '2014-08-06', 4, 7),
  ('Scout', DATE '2020-02-24', 2, 8),
  ('Pickle', DATE '2021-03-09', 4, 9),
  ('Domino', DATE '2018-06-24', 1, 10),
  ('Rocket', DATE '2022-06-08', 2, 10),
  ('Button', DATE '2023-05-19', 3, 11);

INSERT INTO visits (visit_date, description, pet_id) VALUES
  (DATE '2024-03-04', 'rabies shot', 7),
  (DATE '2024-06-04', 'neutered', 8),
  (DATE '2024-06-18', 'spayed', 7),
  (DATE '2025-01-02', 'yearly check', 3);
