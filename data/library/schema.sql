-- The catalogue of a university library. Lists in one cell are separated by a semicolon and a space.
-- 作者 authors: one row for each author
CREATE TABLE authors (
    name VARCHAR(64) NOT NULL PRIMARY KEY, -- 姓名 name of the author
    birth INTEGER NOT NULL, -- 出生年份 year of birth
    death INTEGER, -- 去世年份 year of death, null if alive
    country VARCHAR(32) NOT NULL, -- 国家 country the author comes from
    school VARCHAR(64), -- 流派或学派 literary or academic school, null if none
    teacher VARCHAR(64), -- 老师 teacher of the author, an author as well
    spouse VARCHAR(64), -- 配偶 husband or wife, if an author as well
    field VARCHAR(32) NOT NULL, -- 领域 field of work, such as literature or physics
    awards VARCHAR(200), -- 获奖 list of awards, null if none
    FOREIGN KEY (teacher) REFERENCES authors (name),
    FOREIGN KEY (spouse) REFERENCES authors (name)
);

-- 图书 books: one row for each title
CREATE TABLE books (
    id INTEGER NOT NULL PRIMARY KEY, -- 编号 number of the book in the catalogue
    title VARCHAR(160) NOT NULL UNIQUE, -- 书名 title
    author VARCHAR(64) NOT NULL, -- 作者 author of the book
    publisher VARCHAR(80) NOT NULL, -- 出版社 publisher
    year INTEGER NOT NULL, -- 出版年份 year of the first edition
    pages INTEGER NOT NULL, -- 页数 number of pages
    language VARCHAR(16) NOT NULL, -- 语言 language of the book
    subjects VARCHAR(120) NOT NULL, -- 主题 list of subjects
    rating DECIMAL(2, 1), -- 评分 mean rating by readers, 2 to 5, null if nobody rated
    ratings INTEGER NOT NULL, -- 评分人数 how many readers rated
    series VARCHAR(80), -- 丛书 series the book belongs to, null if none
    shelf VARCHAR(16) NOT NULL, -- 架位 shelf, such as I-12-3
    isbn VARCHAR(13), -- 国际标准书号 ISBN, null for books before 1970
    FOREIGN KEY (author) REFERENCES authors (name)
);

CREATE INDEX books_author ON books (author);
CREATE INDEX books_series ON books (series);
CREATE INDEX authors_teacher ON authors (teacher);
