import { Tokenizer, TokenType } from '@streamparser/json';
import { exactNumber } from '../domain/state-versions/exact-json.ts';

/** A streaming parse of a JSON text of any size, in constant memory. */
export interface Walk {
  readonly write: (bytes: Uint8Array) => void;
  /** Ends the text. @returns whether it was one complete JSON text. */
  readonly end: () => boolean;
}

/** Path from the root: keys of objects and indexes of arrays. The array is reused: copy it to keep it. */
export type Place = readonly (string | number)[];

/** Callbacks for the parts of a JSON text. */
export interface Listener {
  /** Called at the start of an object or array. */
  readonly open: (place: Place, isArray: boolean) => void;
  readonly close: (place: Place) => void;
  readonly scalar: (place: Place, value: unknown) => void;
}

/** Maximum nesting depth, far above the depth of any state, so that memory stays bounded. */
const MAX_DEPTH = 1_000;
/** Size of the tokenizer's string buffer in bytes. */
const STRING_BUFFER = 64 * 1024;

class ExactTokenizer extends Tokenizer {
  protected override parseNumber(text: string): number {
    return exactNumber(text) as number;
  }
}

class NotJson extends Error {
  override readonly name = 'NotJson';
}

/** Tokens that are valid next. */
type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';

/**
 * Starts a streaming parse of a JSON text. Numbers keep their exact text.
 * @example
 * const walk = walkJson({ open, close, scalar });
 * for await (const bytes of content) walk.write(bytes);
 * const isJson = walk.end();
 */
export const walkJson = ({ open, close, scalar }: Listener): Walk => {
  const containers: { readonly isArray: boolean }[] = [];
  const place: (string | number)[] = [];
  let expected: Expected = 'value';
  let hasFailed = false;

  const begin = (isArray: boolean): void => {
    if (containers.length === MAX_DEPTH) throw new NotJson('The text is nested too deeply');
    open(place, isArray);
    containers.push({ isArray });
    if (isArray) place.push(0);
    expected = isArray ? 'value or end' : 'key or end';
  };
  /** Called after each value. */
  const passed = (): void => {
    expected = containers.length === 0 ? 'nothing' : 'comma or end';
  };
  const finish = (): void => {
    if (containers.pop()?.isArray) place.pop();
    close(place);
    if (containers.length > 0 && containers.at(-1)?.isArray === false) place.pop();
    passed();
  };
  const isIn = (array: boolean): boolean => containers.at(-1)?.isArray === array;

  const step = (token: TokenType, value: unknown): boolean => {
    const takesValue = expected === 'value' || expected === 'value or end';
    switch (token) {
      case TokenType.LEFT_BRACE:
      case TokenType.LEFT_BRACKET:
        if (!takesValue) return false;
        begin(token === TokenType.LEFT_BRACKET);
        return true;
      case TokenType.RIGHT_BRACE:
        if (!isIn(false) || (expected !== 'key or end' && expected !== 'comma or end')) return false;
        finish();
        return true;
      case TokenType.RIGHT_BRACKET:
        if (!isIn(true) || (expected !== 'value or end' && expected !== 'comma or end')) return false;
        finish();
        return true;
      case TokenType.COLON:
        if (expected !== 'colon') return false;
        expected = 'value';
        return true;
      case TokenType.COMMA:
        if (expected !== 'comma or end') return false;
        if (isIn(true)) place.push((place.pop() as number) + 1);
        expected = isIn(true) ? 'value' : 'key';
        return true;
      default:
        if (token === TokenType.STRING && (expected === 'key' || expected === 'key or end')) {
          place.push(value as string);
          expected = 'colon';
          return true;
        }
        if (!takesValue) return false;
        scalar(place, value);
        if (isIn(false)) place.pop();
        passed();
        return true;
    }
  };

  const tokenizer = new ExactTokenizer({ stringBufferSize: STRING_BUFFER });
  const fail = (): void => {
    hasFailed = true;
  };
  tokenizer.onError = fail;
  /** Error of a listener, which the tokenizer would report as one of the text. */
  let thrown: unknown;
  tokenizer.onToken = ({ token, value }) => {
    if (hasFailed) return;
    try {
      if (!step(token, value)) fail();
    } catch (error) {
      if (!(error instanceof NotJson)) thrown = error;
      fail();
    }
  };
  const attempt = (work: () => void): void => {
    if (hasFailed) return;
    work();
    if (thrown !== undefined) throw thrown;
  };

  return {
    write: (bytes) => attempt(() => tokenizer.write(bytes)),
    end: () => {
      attempt(() => {
        if (!tokenizer.isEnded) tokenizer.end();
      });
      return !hasFailed && expected === 'nothing';
    },
  };
};
