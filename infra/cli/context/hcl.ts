/**
 * Reads the literal values of HCL files, as far as the command line needs them: the `cloud` block of a configuration, and the
 * configuration of terraform itself. Expressions are skipped.
 */

/** Members of a block or an object, as HCL writes them in JSON: labels are nested objects, repeated blocks an array. */
interface Tree {
  [name: string]: unknown;
}

type Token =
  | { readonly kind: 'end' | 'newline' | 'heredoc' }
  | { readonly kind: 'mark'; readonly text: string }
  | { readonly kind: 'word'; readonly text: string }
  /** Without a text, the string contains an expression. */
  | { readonly kind: 'string'; readonly text: string | undefined };

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

const createTree = (): Tree => Object.create(null) as Tree;

/** Splits a text into tokens. Comments and blanks are left out. */
class Scanner {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Matches a sticky expression at the present position, and moves behind it. */
  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#position;
    const match = expression.exec(this.#text);
    if (match !== null) this.#position = expression.lastIndex;
    return match;
  }

  #fail(what: string, from: number): never {
    const line = this.#text.slice(0, from).split('\n').length;
    throw new SyntaxError(`${what} of line ${line} has no end`);
  }

  next(): Token {
    while (this.#take(/[^\S\n]+|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\//y));
    const start = this.#position;
    if (this.#take(/\/\*/y)) this.#fail('The comment', start);
    if (start >= this.#text.length) return { kind: 'end' };
    if (this.#take(/\n/y)) return { kind: 'newline' };
    const heredoc = this.#take(/<<-?([\p{L}_][\p{L}\p{N}_-]*)\r?\n/uy);
    if (heredoc !== null) {
      // The line break after the end is left, because it ends the attribute.
      const end = new RegExp(`(?:[^\\n]*\\n)*?[^\\S\\n]*${heredoc[1]}[^\\S\\n]*(?=\\n|$)`, 'uy');
      return this.#take(end) ? { kind: 'heredoc' } : this.#fail('The heredoc', start);
    }
    if (this.#take(/"/y)) return { kind: 'string', text: this.#readString(start) };
    const word = this.#take(/[\p{L}\p{N}_][\p{L}\p{N}_.-]*/uy);
    if (word !== null) return { kind: 'word', text: word[0] };
    this.#position += 1;
    return { kind: 'mark', text: this.#text.charAt(start) };
  }

  /** Reads a string behind its first quotation mark. Expressions within it may contain strings. */
  #readString(start: number): string | undefined {
    let text = '';
    let isLiteral = true;
    for (;;) {
      text += this.#take(/(?:[^"\\$%\n]|(?:\$\$|%%)\{|[$%](?!\{))*/y)?.[0] ?? '';
      if (this.#take(/"/y)) return isLiteral ? text : undefined;
      const escaped = this.#take(/\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([^\n]))/y);
      if (escaped !== null) {
        const code = escaped[1] ?? escaped[2];
        const letter = escaped[3] ?? '';
        text += code === undefined ? (ESCAPES[letter] ?? letter) : String.fromCodePoint(Number.parseInt(code, 16));
      } else if (this.#take(/[$%]\{/y)) {
        isLiteral = false;
        this.#skipTemplate(start);
      } else this.#fail('The string', start);
    }
  }

  #skipTemplate(start: number): void {
    for (let depth = 1; depth > 0; ) {
      const token = this.next();
      if (token.kind === 'end') this.#fail('The expression', start);
      if (token.kind === 'mark') depth += token.text === '{' ? 1 : token.text === '}' ? -1 : 0;
    }
  }
}

/** Reads tokens as a tree of literal values. */
class Reader {
  readonly #scanner: Scanner;
  #token: Token;

  constructor(text: string) {
    this.#scanner = new Scanner(text);
    this.#token = this.#scanner.next();
  }

  #advance(): void {
    this.#token = this.#scanner.next();
  }

  #isMark(...marks: readonly string[]): boolean {
    return this.#token.kind === 'mark' && marks.includes(this.#token.text);
  }

  #isEnd(): boolean {
    return this.#token.kind === 'end';
  }

  readFile(): Tree {
    const tree = this.#readBody();
    if (!this.#isEnd()) throw new SyntaxError('There is a closing brace too many');
    return tree;
  }

  /** Reads attributes and blocks up to a closing brace or the end of the file. */
  #readBody(): Tree {
    const tree = createTree();
    while (!this.#isEnd() && !this.#isMark('}')) {
      const names = this.#readNames();
      if (names.length === 0) {
        // Lists within skipped expressions, and anything that is not HCL.
        this.#readValue();
        if (this.#isMark(')', ']', ',', '=', ':') || this.#token.kind === 'newline') this.#advance();
      } else if (this.#isMark('=', ':')) {
        this.#advance();
        add(tree, names, this.#readValue());
      } else if (this.#isMark('{')) add(tree, names, this.#readBraces());
      else if (!this.#isEnd() && !this.#isMark('}')) this.#advance();
    }
    return tree;
  }

  /** Reads the name of an attribute, or the type and the labels of a block. */
  #readNames(): readonly string[] {
    const names: string[] = [];
    for (; this.#token.kind === 'word' || this.#token.kind === 'string'; this.#advance()) {
      names.push(this.#token.text ?? '');
    }
    return names;
  }

  #readBraces(): Tree {
    this.#advance();
    const tree = this.#readBody();
    if (this.#isEnd()) throw new SyntaxError('A closing brace is missing');
    this.#advance();
    return tree;
  }

  #readList(): readonly unknown[] {
    const values: unknown[] = [];
    this.#advance();
    while (!this.#isEnd() && !this.#isMark(']', '}')) {
      if (this.#isMark(',', ':', ')') || this.#token.kind === 'newline') this.#advance();
      else values.push(this.#readValue());
    }
    if (!this.#isMark(']')) throw new SyntaxError('A closing bracket is missing');
    this.#advance();
    return values;
  }

  /** Reads a value. @returns undefined for an expression, which is skipped up to its end. */
  #readValue(): unknown {
    const value = this.#readOperand();
    if (this.#isValueEnd()) return value;
    for (let depth = 0; depth > 0 || !this.#isValueEnd(); this.#advance()) {
      if (this.#isEnd()) throw new SyntaxError('A closing bracket is missing');
      if (this.#isMark('(', '[', '{')) depth += 1;
      if (this.#isMark(')', ']', '}')) depth -= 1;
    }
    return undefined;
  }

  #readOperand(): unknown {
    if (this.#isMark('{')) return this.#readBraces();
    if (this.#isMark('[')) return this.#readList();
    const token = this.#token;
    if (token.kind !== 'string' && token.kind !== 'word' && token.kind !== 'heredoc') return undefined;
    this.#advance();
    return token.kind === 'string' ? token.text : undefined;
  }

  #isValueEnd(): boolean {
    return this.#isEnd() || this.#token.kind === 'newline' || this.#isMark(',', '}', ']', ')');
  }
}

/** Adds a value under its names: several values of one name become an array. */
const add = (tree: Tree, names: readonly string[], value: unknown): void => {
  const [name = '', ...labels] = names;
  const nested = labels.reduceRight<unknown>((inner, label) => Object.assign(createTree(), { [label]: inner }), value);
  tree[name] = name in tree ? [tree[name], nested].flat() : nested;
};

/**
 * Reads the literal values of HCL.
 * @throws SyntaxError for a text without the end of a comment, a string or a block.
 * @example
 * parseHcl('credentials "example.com" { token = "hfu_…" }') // { credentials: { 'example.com': { token: 'hfu_…' } } }
 */
export const parseHcl = (text: string): unknown => new Reader(text).readFile();

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the blocks at a path, in the order of the file.
 * @param tree of `parseHcl`, or the parsed JSON form.
 */
export const findBlocks = (tree: unknown, ...path: readonly string[]): readonly Readonly<Record<string, unknown>>[] =>
  path
    .reduce<readonly unknown[]>(
      (nodes, name) =>
        nodes
          .flatMap((node) => [node].flat())
          .flatMap((node) => (isObject(node) && Object.hasOwn(node, name) ? [node[name]] : [])),
      [tree],
    )
    .flatMap((node) => [node].flat())
    .filter(isObject);

/** Returns a text that is neither empty nor, in the JSON form, an expression. */
export const readLiteral = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && !/[$%]\{/.test(value) ? value : undefined;
