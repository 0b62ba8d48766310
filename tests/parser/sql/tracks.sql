-- `Track_2` is a table, so that the second use of Track is called otherwise.
CREATE TABLE Artist (ArtistId int PRIMARY KEY, Name text);
CREATE TABLE Album (AlbumId int PRIMARY KEY, Title text, ArtistId int REFERENCES Artist (ArtistId));
CREATE TABLE Track (TrackId int PRIMARY KEY, Name text, AlbumId int REFERENCES Album, "Order" int);
CREATE TABLE Track_2 (Mix text);
