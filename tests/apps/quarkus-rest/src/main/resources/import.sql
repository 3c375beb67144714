INSERT INTO books (id, title, shelf, pages) VALUES (1, 'A field guide to slow starts', 'A1', 211);
INSERT INTO books (id, title, shelf, pages) VALUES (2, 'Notes on lazy loading', 'A1', 97);
INSERT INTO books (id, title, shelf, pages) VALUES (3, 'The page that was not there', 'A2', 353);
INSERT INTO books (id, title, shelf, pages) VALUES (4, 'Jars within jars', 'B1', 149);
INSERT INTO books (id, title, shelf, pages) VALUES (5, 'Collected exceptions', 'B1', 509);
INSERT INTO books (id, title, shelf, pages) VALUES (6, 'Waiting for a core', 'B2', 127);
INSERT INTO books (id, title, shelf, pages) VALUES (7, 'What the cache forgot', 'C1', 269);
