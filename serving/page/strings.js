// What the page says, in English and Chinese.

const KEPT = "querent.language";

const TEXTS = {
  skip: ["Skip to the question", "跳到提问"],
  ask: ["Ask", "提问"],
  asking: ["Asking…", "正在提问…"],
  question: ["Your question", "您的问题"],
  placeholder: ["Ask about the data, in plain words", "用平常的话提问"],
  hint: ["Enter asks · ↑↓ choose a suggestion · / comes back here", "回车提问 · ↑↓ 选择建议 · / 回到这里"],
  suggestions: ["Suggestions", "建议"],
  database: ["Database", "数据库"],
  language: ["中文", "English"],
  languageTo: ["Switch to Chinese", "切换到英文"],
  browse: ["Data and conversations", "数据与对话"],
  conversations: ["Conversations", "对话"],
  newTalk: ["New conversation", "新对话"],
  untitled: ["New conversation", "新对话"],
  removeTalk: [(name) => `Forget the conversation “${name}”`, (name) => `删除对话“${name}”`],
  data: ["Data", "数据"],
  find: ["Find a table or column", "查找表或列"],
  rowCount: [(n) => `${n} rows`, (n) => `${n} 行`],
  nothingFound: ["nothing is called so", "没有这个名称"],
  primary: ["primary key", "主键"],
  askName: [(name) => `Put “${name}” into the question`, (name) => `把“${name}”放入问题`],
  welcome: ["What do you want to know?", "您想知道什么？"],
  welcomeMore: [
    "Every answer shows the query it comes from, and how sure it is. A question may lean on the one before it.",
    "每个回答都显示它的查询和可信程度；问题可以承接上一个问题。",
  ],
  examples: ["For example", "例如"],
  howMany: [(table) => `how many ${table} are there?`, (table) => `有多少${table}？`],
  byCategory: [
    (table, column) => `how many ${table} are there by ${column}?`,
    (table, column) => `按${column}统计${table}的数量`,
  ],
  average: [
    (column, table) => `what is the average ${column} of ${table}?`,
    (column, table) => `${table}的平均${column}是多少？`,
  ],
  byMonth: [(table) => `how many ${table} are there by month?`, (table) => `按月统计${table}的数量`],
  ok: ["Likely right", "很可能正确"],
  unsure: ["Check this", "请核对"],
  no_answer: ["No answer", "无法回答"],
  error: ["Failed", "失败"],
  own: ["Your own query", "您的查询"],
  chosen: ["Chosen by you", "您的选择"],
  confidence: [(share) => `${share} sure`, (share) => `把握 ${share}`],
  noRows: ["The query finds nothing.", "查询没有结果。"],
  rows: [(n) => (n === 1 ? "1 row" : `${n} rows`), (n) => `${n} 行`],
  rowsOf: [(from, to, all) => `${from}–${to} of ${all} rows`, (from, to, all) => `第 ${from}–${to} 行，共 ${all} 行`],
  more: ["the database has more", "数据库中还有更多"],
  keptRows: [
    (n) => `This browser has kept the first ${n} rows; ask again for all.`,
    (n) => `浏览器只保存了前 ${n} 行；再问一次可得全部。`,
  ],
  pageBefore: ["Previous page", "上一页"],
  pageNext: ["Next page", "下一页"],
  sort: ["Sort", "排序"],
  result: ["Rows of the answer", "结果"],
  chart: ["Chart", "图"],
  tableView: ["Table", "表"],
  shownAs: ["Shown as", "显示为"],
  chartOf: [
    (label) => `Chart by ${label}; the table has the same values`,
    (label) => `按${label}的图；表中有相同的数值`,
  ],
  csv: ["Save as CSV", "存为 CSV"],
  csvFormulas: ["Save as CSV with formulas", "存为含公式的 CSV"],
  query: ["Query", "查询"],
  copy: ["Copy", "复制"],
  copied: ["Copied", "已复制"],
  edit: ["Edit the query", "修改查询"],
  run: ["Run", "运行"],
  cancel: ["Cancel", "取消"],
  why: ["Why this query?", "为什么是这个查询？"],
  whyLoading: ["Asking why…", "正在询问…"],
  still: ["still", "仍有"],
  now: ["now", "新增"],
  noLonger: ["no longer", "不再"],
  newTopic: ["A new topic: nothing of the query before is kept", "新的话题：没有沿用上一个查询"],
  readings: ["Other readings", "其他理解"],
  take: ["Take this one", "采用这个"],
  right: ["Right", "正确"],
  wrong: ["Wrong", "错误"],
  takeBack: ["Take back", "撤回"],
  judge: ["Is it right?", "回答正确吗？"],
  judgedRight: ["Kept: this is right.", "已记录：正确。"],
  judgedWrong: ["Kept: this is wrong. Other readings are above.", "已记录：错误。其他理解见上。"],
  judgedWrongAlone: ["Kept: this is wrong. Ask in other words, or edit the query.", "已记录：错误。请换个说法，或修改查询。"],
  takenBack: ["Taken back.", "已撤回。"],
  again: ["Ask again", "再问一次"],
  forget: ["Forget this question", "删除这个问题"],
  like: [(question) => `as the solved question “${question}”`, (question) => `参照已解决的问题“${question}”`],
  unread: [(piece) => `not read: ${piece}`, (piece) => `未能读取：${piece}`],
  steps: ["Reading the question…", "正在理解问题…"],
  answered: [(question) => `Answered: ${question}`, (question) => `已回答：${question}`],
  whyAnswerable: ["The data can answer this", "数据能回答这个问题"],
  whyValues: ["What the question names", "问题中提到的值"],
  whyParts: ["Tables, columns and functions that it may need", "可能需要的表、列和函数"],
  whyWords: ["Word by word", "逐词"],
  whyUnlinked: [
    (text, near) => `nothing accounts for “${text}”; nearest: ${near}`,
    (text, near) => `“${text}”没有对应；最接近：${near}`,
  ],
  used: ["in the query", "在查询中"],
  implied: ["implied", "由此得出"],
  word: ["word", "词"],
  probability: ["how likely", "可能性"],
  allowed: ["could stand there", "可选词数"],
  sayings: {
    exact: ["as it stands in the data", "与数据完全一致"],
    folded: ["but for case and accents", "忽略大小写"],
    stem: ["another form of the word", "词形不同"],
    meaning: ["another word for it", "同义词"],
    typo: ["one letter differs", "差一个字母"],
    part: ["part of it", "其中一部分"],
    literal: ["as the question says it", "问题中的说法"],
    earlier: ["of the query before", "来自上一个查询"],
    constant: ["usual here", "常用值"],
  },
  away: ["The server does not answer. What you typed is kept.", "服务器没有响应。您输入的内容已保留。"],
  busy: ["Too many questions at once.", "提问太多，请稍候。"],
  gone: ["The database cannot be read at present.", "目前无法读取数据库。"],
  late: ["That took too long.", "耗时过长。"],
  failed: ["Something went wrong on the server.", "服务器出错了。"],
  full: ["This browser has no room left: the conversation is not kept.", "浏览器空间不足：对话未保存。"],
  retry: ["Try again", "重试"],
  token: ["Token", "令牌"],
  tokenNeeded: ["This server asks for a token.", "此服务器需要令牌。"],
  tokenWrong: ["Nobody has this token.", "令牌无效。"],
  enter: ["Enter", "进入"],
  close: ["Close", "关闭"],
  loading: ["Loading…", "加载中…"],
};

let place = (localStorage.getItem(KEPT) ?? navigator.language).toLowerCase().startsWith("zh") ? 1 : 0;

/** Return the language of the page: "en" or "zh". */
export function language() {
  return place ? "zh" : "en";
}

/** Take the other language. */
export function switchLanguage() {
  place = 1 - place;
  localStorage.setItem(KEPT, language());
}

/** Return a text in the page's language; one with gaps gets what fills them. */
export function t(key, ...gaps) {
  const text = TEXTS[key][place];
  return typeof text === "function" ? text(...gaps) : text;
}

/** Return in which way a value was found, in words. */
export function foundBy(how) {
  return TEXTS.sayings[how]?.[place] ?? how;
}

/** Return a share of 1 as people read it. */
export function percent(share) {
  return new Intl.NumberFormat(language(), { style: "percent", maximumFractionDigits: 0 }).format(share);
}
