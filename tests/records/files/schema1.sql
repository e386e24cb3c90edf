-- A file of records as schema 1 wrote it; never edited.
BEGIN TRANSACTION;
CREATE TABLE answers (
        id TEXT PRIMARY KEY,
        at TEXT NOT NULL,
        conversation_id TEXT REFERENCES conversations (id) ON DELETE SET NULL,
        turn INTEGER NOT NULL,
        collection TEXT NOT NULL,
        version TEXT NOT NULL,
        viewer TEXT NOT NULL,
        question TEXT NOT NULL,
        asked TEXT NOT NULL,
        text TEXT NOT NULL,
        refused TEXT,
        explanation TEXT NOT NULL,
        answerer TEXT NOT NULL,
        model TEXT NOT NULL,
        prompt TEXT NOT NULL,
        input_tokens INTEGER,
        output_tokens INTEGER,
        price REAL,
        seconds REAL NOT NULL,
        first_text_seconds REAL,
        incomplete INTEGER NOT NULL,
        cited INTEGER NOT NULL,
        invented INTEGER NOT NULL,
        empty INTEGER NOT NULL,
        unsupported INTEGER,
        uncited INTEGER,
        conflicts INTEGER NOT NULL,
        weak INTEGER NOT NULL,
        settings_hash TEXT NOT NULL,
        missing TEXT NOT NULL,
        notices TEXT NOT NULL
    );
INSERT INTO "answers" VALUES('01M8P570G02TSW621G3DMNYGVM','2026-11-30T12:00:00.000Z','01M8P570G0AAAAAAAAAAAAAAAA',1,'shop','v0001','小王','退款几天到账？','退款几天到账？','退款三天到账[1]。有的写七天[2]。',NULL,'','extractive','','',0,0,0.0,0.3,NULL,0,2,0,0,NULL,NULL,0,0,'0000000000000000000000000000000000000000000000000000000000000000','[]','[]');
INSERT INTO "answers" VALUES('01M8P58V3039M06YP5R5GB1VQ2','2026-11-30T12:01:00.000Z',NULL,0,'shop','v0001','小王','SF-9000 怎么连 Wi-Fi','SF-9000 怎么连 Wi-Fi','资料中没有找到能支撑回答的内容。','missing_code','资料里没有出现 SF-9000。','openai','gpt-x','p1',NULL,NULL,NULL,0.3,NULL,0,0,0,0,NULL,NULL,0,0,'','["SF-9000"]','[]');
CREATE TABLE context (
        answer_id TEXT NOT NULL REFERENCES answers (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        chunk_id TEXT NOT NULL,
        source_id TEXT NOT NULL,
        title TEXT NOT NULL,
        final_rank INTEGER NOT NULL,
        rerank_score REAL,
        tokens INTEGER NOT NULL,
        cited INTEGER NOT NULL,
        updated TEXT,
        PRIMARY KEY (answer_id, number)
    ) WITHOUT ROWID
    ;
INSERT INTO "context" VALUES('01M8P570G02TSW621G3DMNYGVM',1,'s03#0','s03','杂项',3,NULL,0,0,NULL);
INSERT INTO "context" VALUES('01M8P570G02TSW621G3DMNYGVM',2,'s01#1','s01','售后政策',2,NULL,0,2,'2026-10');
INSERT INTO "context" VALUES('01M8P570G02TSW621G3DMNYGVM',3,'s02#0','s02','退款说明',1,NULL,0,1,'2026-11-20');
INSERT INTO "context" VALUES('01M8P58V3039M06YP5R5GB1VQ2',1,'s03#0','s03','杂项',3,NULL,0,0,NULL);
INSERT INTO "context" VALUES('01M8P58V3039M06YP5R5GB1VQ2',2,'s01#1','s01','售后政策',2,NULL,0,0,'2026-10');
INSERT INTO "context" VALUES('01M8P58V3039M06YP5R5GB1VQ2',3,'s02#0','s02','退款说明',1,NULL,0,0,'2026-11-20');
CREATE TABLE conversations (
        id TEXT PRIMARY KEY,
        title TEXT NOT NULL,
        created TEXT NOT NULL,
        viewer TEXT NOT NULL,
        collection TEXT NOT NULL,
        deleted TEXT
    );
INSERT INTO "conversations" VALUES('01M8P570G0AAAAAAAAAAAAAAAA','退款几天到账？','2026-11-30T12:00:00.000Z','小王','shop',NULL);
CREATE TABLE feedback (
        answer_id TEXT PRIMARY KEY REFERENCES answers (id) ON DELETE CASCADE,
        at TEXT NOT NULL,
        value TEXT NOT NULL CHECK (value IN ('up', 'down')),
        reason TEXT NOT NULL
    ) WITHOUT ROWID
    ;
INSERT INTO "feedback" VALUES('01M8P570G02TSW621G3DMNYGVM','2026-11-30T12:00:00.000Z','up','很清楚');
CREATE TABLE hits (
        answer_id TEXT NOT NULL REFERENCES answers (id) ON DELETE CASCADE,
        leg TEXT NOT NULL,
        rank INTEGER NOT NULL,
        chunk_id TEXT NOT NULL,
        score REAL,
        PRIMARY KEY (answer_id, leg, rank, chunk_id)
    ) WITHOUT ROWID
    ;
INSERT INTO "hits" VALUES('01M8P570G02TSW621G3DMNYGVM','keyword',1,'s02#0',1.0);
INSERT INTO "hits" VALUES('01M8P570G02TSW621G3DMNYGVM','keyword',2,'s01#1',1.0);
INSERT INTO "hits" VALUES('01M8P570G02TSW621G3DMNYGVM','keyword',3,'s03#0',1.0);
INSERT INTO "hits" VALUES('01M8P570G02TSW621G3DMNYGVM','vector',1,'s02#0',1.0);
INSERT INTO "hits" VALUES('01M8P570G02TSW621G3DMNYGVM','vector',2,'s01#1',1.0);
INSERT INTO "hits" VALUES('01M8P570G02TSW621G3DMNYGVM','vector',3,'s03#0',1.0);
INSERT INTO "hits" VALUES('01M8P58V3039M06YP5R5GB1VQ2','keyword',1,'s02#0',1.0);
INSERT INTO "hits" VALUES('01M8P58V3039M06YP5R5GB1VQ2','keyword',2,'s01#1',1.0);
INSERT INTO "hits" VALUES('01M8P58V3039M06YP5R5GB1VQ2','keyword',3,'s03#0',1.0);
INSERT INTO "hits" VALUES('01M8P58V3039M06YP5R5GB1VQ2','vector',1,'s02#0',1.0);
INSERT INTO "hits" VALUES('01M8P58V3039M06YP5R5GB1VQ2','vector',2,'s01#1',1.0);
INSERT INTO "hits" VALUES('01M8P58V3039M06YP5R5GB1VQ2','vector',3,'s03#0',1.0);
CREATE TABLE stages (
        answer_id TEXT NOT NULL REFERENCES answers (id) ON DELETE CASCADE,
        place INTEGER NOT NULL,
        stage TEXT NOT NULL,
        seconds REAL NOT NULL,
        PRIMARY KEY (answer_id, place)
    ) WITHOUT ROWID
    ;
INSERT INTO "stages" VALUES('01M8P570G02TSW621G3DMNYGVM',0,'embed',0.02);
INSERT INTO "stages" VALUES('01M8P570G02TSW621G3DMNYGVM',1,'search',0.03);
INSERT INTO "stages" VALUES('01M8P570G02TSW621G3DMNYGVM',2,'answer',0.25);
INSERT INTO "stages" VALUES('01M8P58V3039M06YP5R5GB1VQ2',0,'embed',0.02);
INSERT INTO "stages" VALUES('01M8P58V3039M06YP5R5GB1VQ2',1,'search',0.03);
INSERT INTO "stages" VALUES('01M8P58V3039M06YP5R5GB1VQ2',2,'answer',0.25);
CREATE TABLE tickets (
        id TEXT PRIMARY KEY,
        at TEXT NOT NULL,
        answer_id TEXT REFERENCES answers (id) ON DELETE SET NULL,
        conversation_id TEXT,
        viewer TEXT NOT NULL,
        collection TEXT NOT NULL,
        question TEXT NOT NULL,
        asked TEXT NOT NULL,
        reason TEXT NOT NULL,
        transcript TEXT NOT NULL,
        chunks TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('open', 'closed')),
        closed TEXT,
        webhook TEXT NOT NULL CHECK (webhook IN ('none', 'waiting', 'sent', 'failed'))
    );
INSERT INTO "tickets" VALUES('01M8P58V30HGA8HHVTCFC2DFQV','2026-11-30T12:01:00.000Z','01M8P58V3039M06YP5R5GB1VQ2',NULL,'小王','shop','SF-9000 怎么连 Wi-Fi','SF-9000 怎么连 Wi-Fi','没有答案','[{"question": "\u9000\u6b3e\u51e0\u5929\u5230\u8d26\uff1f", "text": "\u9000\u6b3e\u4e09\u5929\u5230\u8d26[1]\u3002\u6709\u7684\u5199\u4e03\u5929[2]\u3002"}]','[{"chunk_id": "s02#0", "title": "\u9000\u6b3e\u8bf4\u660e", "final_rank": 1, "keyword_rank": 1, "vector_rank": 1}, {"chunk_id": "s01#1", "title": "\u552e\u540e\u653f\u7b56", "final_rank": 2, "keyword_rank": 2, "vector_rank": 2}, {"chunk_id": "s03#0", "title": "\u6742\u9879", "final_rank": 3, "keyword_rank": 3, "vector_rank": 3}]','open',NULL,'sent');
CREATE INDEX answers_at ON answers (at, id);
CREATE UNIQUE INDEX answers_turn ON answers (conversation_id, turn) WHERE conversation_id IS NOT NULL;
CREATE INDEX conversations_viewer ON conversations (viewer);
CREATE INDEX tickets_answer ON tickets (answer_id);
PRAGMA user_version=1;
COMMIT;
