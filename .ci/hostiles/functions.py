"""The functions of the linked SQLite (3.53, with fts5 and the mathematical functions), and hostile arguments for each.

The list is that of pragma_function_list; names without arguments, and those that only read versions, are left out.
"""

# Texts and blobs near the longest value that the sandbox allows, 1,000,000 bytes.
LONG = "hex(zeroblob(499990))"  # one letter
ODD = "(replace(hex(zeroblob(39000)),'0','x')||'0')"  # a long set or pattern that nearly matches nothing
BLOB = "zeroblob(999000)"
NOISE = "hex(randomblob(499000))"
DEEP = "(replace(hex(zeroblob(450)),'0','[')||replace(hex(zeroblob(450)),'0',']'))"
PERCENT = "(replace(hex(zeroblob(12000)),'0','%a')||'b')"
OBJECT = "(WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<45000) SELECT json_group_object('k'||i,i) FROM c)"
OTHERS = "(WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<45000) SELECT json_group_object('x'||i,i) FROM c)"
ARRAY = "('['||substr(replace(hex(zeroblob(240000)),'0','1,'),1,950001)||']')"
PATH = "('$'||replace(hex(zeroblob(100000)),'0','.a'))"
FILLERS = [LONG, ODD, BLOB, OBJECT]

# name: the numbers of arguments to try.
SCALARS = {
    "abs": (1,), "bm25": (1, 2), "char": (3,), "coalesce": (2,), "concat": (3,), "concat_ws": (3,), "date": (1, 3),
    "datetime": (2,), "exp": (1,), "format": (2, 3), "fts3_tokenizer": (1, 2), "fts5": (1,), "fts5_get_locale": (1,),
    "fts5_insttoken": (1,), "fts5_locale": (2,), "glob": (2,), "hex": (1,), "highlight": (4,), "if": (3,), "ifnull": (2,),
    "iif": (3,), "instr": (2,), "json": (1,), "json_array": (2,), "json_array_insert": (3,), "json_array_length": (1, 2),
    "json_error_position": (1,), "json_extract": (2, 3), "json_insert": (3,), "json_object": (2,), "json_patch": (2,),
    "json_pretty": (1, 2), "json_quote": (1,), "json_remove": (2,), "json_replace": (3,), "json_set": (3,), "json_type": (1, 2),
    "json_valid": (1, 2), "jsonb": (1,), "jsonb_array": (2,), "jsonb_array_insert": (3,), "jsonb_extract": (2,),
    "jsonb_insert": (3,), "jsonb_object": (2,), "jsonb_patch": (2,), "jsonb_remove": (2,), "jsonb_replace": (3,),
    "jsonb_set": (3,), "julianday": (2,), "length": (1,), "like": (2, 3), "likelihood": (2,), "log": (2,), "lower": (1,),
    "ltrim": (1, 2), "match": (2,), "matchinfo": (1, 2), "max": (3,), "min": (3,), "mod": (2,), "nullif": (2,),
    "octet_length": (1,), "offsets": (1,), "optimize": (1,), "pow": (2,), "printf": (2, 3), "quote": (1,), "randomblob": (1,),
    "replace": (3,), "round": (2,), "rtreecheck": (1, 2), "rtreedepth": (1,), "rtreenode": (2,), "rtrim": (1, 2), "sign": (1,),
    "snippet": (6,), "sqlite_compileoption_used": (1,), "sqlite_log": (2,), "strftime": (2, 3), "substr": (2, 3),
    "substring": (3,), "subtype": (1,), "time": (2,), "timediff": (2,), "trim": (1, 2), "typeof": (1,), "unhex": (1, 2),
    "unicode": (1,), "unistr": (1,), "unistr_quote": (1,), "unixepoch": (2,), "upper": (1,), "zeroblob": (1,),
    "load_extension": (1, 2), "soundex": (1,), "edit3": (1,), "readfile": (1,), "writefile": (2,), "eval": (1,),
}

AGGREGATES = {"avg": 1, "count": 1, "group_concat": 2, "json_group_array": 1, "json_group_object": 2, "jsonb_group_array": 1,
              "jsonb_group_object": 2, "max": 1, "min": 1, "string_agg": 2, "sum": 1, "total": 1}
WINDOWS = {**AGGREGATES, "first_value": 1, "lag": 3, "last_value": 1, "lead": 3, "nth_value": 2, "ntile": 1}

# The slowest calls known, and some of other kinds: no length limit makes them short.
SLOW = {
    "ltrim": f"length(ltrim({LONG},{ODD}))",
    "rtrim": f"length(rtrim({LONG},{ODD}))",
    "trim": f"length(trim({LONG},{ODD}))",
    "unhex": f"length(unhex(replace({LONG},'0','y'),replace({ODD},'0','y')))",
    "unhex-digits": f"length(unhex({LONG},{ODD}))",
    "instr": f"instr({LONG},substr({LONG},1,400000)||'1')",
    "instr-blob": "instr(zeroblob(999000),CAST(zeroblob(499000)||x'01' AS BLOB))",
    "replace": f"length(replace({LONG},substr({LONG},1,300000)||'1','y'))",
    "replace-grow": f"length(replace({LONG},'0','0'))",
    "like": f"{LONG} LIKE {PERCENT}",
    "like-ones": f"{LONG} LIKE (replace(hex(zeroblob(20000)),'0','%_')||'b')",
    "like-zeroes": f"{LONG} LIKE (replace(hex(zeroblob(12000)),'0','%0')||'b')",
    "like-escape": f"like((replace(hex(zeroblob(8000)),'0','%\\0')||'b'),{LONG},'\\')",
    "glob": f"{LONG} GLOB (replace(hex(zeroblob(12000)),'0','*0')||'b')",
    "glob-class": f"{LONG} GLOB (replace(hex(zeroblob(4000)),'0','*[0]')||'b')",
    "glob-long-class": f"{LONG} GLOB ('*['||replace(hex(zeroblob(20000)),'0','x')||']*')",
    "json_patch": f"length(json_patch({OBJECT},{OTHERS}))",
    "jsonb_patch": f"length(jsonb_patch({OBJECT},{OTHERS}))",
    "json_patch-same": f"length(json_patch({OBJECT},{OBJECT}))",
    "json_set-many": f"length(json_set({OBJECT}" + "".join(f",'$.k{44990 - i}',1" for i in range(200)) + "))",
    "json_remove-many": f"length(json_remove({OBJECT}" + "".join(f",'$.k{44990 - i}'" for i in range(200)) + "))",
    "json_extract-many": f"length(json_extract({OBJECT}" + "".join(f",'$.k{44990 - i}'" for i in range(200)) + "))",
    "json_extract-arrow": f"{OBJECT} -> '$.k44999' ->> '$'",
    "json_array_insert": f"length(json_array_insert({ARRAY}" + "".join(",'$[0]',1" for _ in range(100)) + "))",
    "json_pretty": f"length(json_pretty({ARRAY},{LONG}))",
    "json_pretty-deep": f"length(json_pretty({DEEP},hex(zeroblob(9000))))",
    "json_quote": f"length(json_quote(replace({LONG},'0',char(1))))",
    "json_valid": f"json_valid({ARRAY},8)",
    "json_path": f"json_extract({OBJECT},{PATH})",
    "json_error": f"json_error_position({ARRAY}||'x')",
    "printf-width": "length(printf('%900000d',1))",
    "printf-precision": "length(printf('%.900000f',1e308))",
    "printf-many": "length(printf(replace(hex(zeroblob(100)),'0','%9999d'),1))",
    "printf-commas": "length(printf('%,.400000d',1))",
    "printf-too-wide": "length(printf('%2147483647d',1))",
    "printf-star": "length(printf('%*.*f',2147483646,2147483646,1.5))",
    "format-long": f"length(format({LONG},1))",
    "format-q": f"length(format('%Q%w%q',replace({LONG},'0',''''),'a',replace({LONG},'0','''')))",
    "strftime-long": f"length(strftime(replace({LONG},'0','%Y'),'now'))",
    "strftime-modifiers": "strftime('%Y','now'" + ",'+1 month'" * 120 + ")",
    "date-modifier": "date('now','+999999999999 months')",
    "unistr": f"length(unistr(replace({LONG},'0','\\+10FFFF')))",
    "quote": f"length(quote(replace({LONG},'0','''')))",
    "upper": f"length(upper(lower(upper({NOISE}))))",
    "concat": f"length(concat({LONG},{LONG},{LONG}))",
    "char": "length(char(" + ",".join(["1114111"] * 900) + "))",
    "zeroblob": "length(zeroblob(2147483647))",
    "randomblob": "length(randomblob(2147483647))",
    "substr-far": f"substr({LONG},-9223372036854775808,9223372036854775807)",
    "round": "round(1e308,9223372036854775807)",
    "collate": f"{LONG}||'a' = {LONG}||'A' COLLATE NOCASE",
    "number": f"CAST({LONG}||'1' AS REAL) + CAST('0.'||{LONG}||'1' AS NUMERIC)",
    "nested": f"length(replace(replace(replace({ODD},'x','xxxxxx'),'xx','yyyy'),'y','zz'))",
}


def calls():
    """(name, expression): every function with a long argument in every position, the other arguments long too."""
    for name, arities in SCALARS.items():
        for arity in arities:
            for at in range(arity):
                args = [FILLERS[(i + len(name)) % 2] if i != at else FILLERS[(at + len(name)) % 4] for i in range(arity)]
                if name.startswith("json") and at != 0:
                    args[0] = OBJECT
                yield f"{name}-{arity}-{at + 1}", f"{name}({','.join(args)})"
