import { usageError } from '../failure.ts';

/** A variable that a file sets. */
export interface Entry {
  readonly key: string;
  readonly category: 'infra' | 'env';
  readonly value?: string;
  readonly 'value-reference'?: string;
  readonly hcl: boolean;
  /** Absent: the description stays as it is. */
  readonly description?: string;
  readonly sensitive?: boolean;
}

/** Reads a text with sticky expressions, and knows the line of a mistake. */
export class TextReader {
  readonly #file: string;
  readonly text: string;
  position = 0;

  /** @param file its name in errors. */
  constructor(file: string, text: string) {
    this.#file = file;
    this.text = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  }

  /** Matches an expression at the present position, and moves behind it. */
  take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.position;
    const match = expression.exec(this.text);
    if (match !== null) this.position = expression.lastIndex;
    return match;
  }

  get isAtEnd(): boolean {
    return this.position >= this.text.length;
  }

  /** @throws Failure `usage` with the line of a position. */
  fail(message: string, position = this.position): never {
    const line = this.text.slice(0, position).split('\n').length;
    throw usageError(`${this.#file}, line ${line}: ${message}`, 'Nothing was changed.');
  }
}
