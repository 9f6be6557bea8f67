import { Lexer, type Token, type Tokens } from 'marked';
import { Fragment, type ReactNode, useMemo } from 'react';
import './markdown.css';
import { markInvisible } from './visible-text.tsx';

/** Larger texts are shown as they are, because parsing them would block the page. */
const MAX_LENGTH = 100_000;

/** Blocks in blocks: each level is parsed again with all below it, by a recursion. No text for people is nested this deep. */
const TOO_NESTED = /^(?:[ \t]*(?:[>*+-]|\d{1,9}[.)])){20}|^[ \t]{200}/m;

/** Most characters of a paragraph that may begin or end emphasis or a link: parsing takes the square of their number. */
const MAX_DELIMITERS = 500;

/** Parses Markdown. @returns undefined for a text that would take too long. */
const parse = (text: string): readonly Token[] | undefined => {
  if (text.length > MAX_LENGTH || TOO_NESTED.test(text)) return undefined;
  const lexer = new Lexer();
  lexer.blockTokens(text.replaceAll(/\r\n?/g, '\n'), lexer.tokens);
  for (const { src, tokens } of lexer.inlineQueue) {
    if (src.replaceAll(/[^*_~`[\]<]/g, '').length > MAX_DELIMITERS)
      tokens.push({ type: 'escape', raw: src, text: src });
    else lexer.inlineTokens(src, tokens);
  }
  return lexer.tokens;
};

/**
 * Shows Markdown of somebody else. Its tokens become React elements, so HTML in the text is shown as text and never parsed.
 * Images are links, because nothing is loaded from elsewhere.
 */
export const Markdown = ({ text }: { readonly text: string }) => {
  const tokens = useMemo(() => parse(text), [text]);
  return tokens === undefined ? (
    <>
      <p className="muted">This text is too long or nested too deeply to be formatted.</p>
      <pre className="markdown">{markInvisible(text)}</pre>
    </>
  ) : (
    <div className="markdown" dir="auto">
      <Nodes tokens={tokens} />
    </div>
  );
};

const Nodes = ({ tokens = [] }: { readonly tokens: readonly Token[] | undefined }) =>
  tokens.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a text never change their order
    <Fragment key={index}>{toNode(token as KnownToken)}</Fragment>
  ));

type KnownToken =
  | Tokens.Blockquote
  | Tokens.Br
  | Tokens.Code
  | Tokens.Codespan
  | Tokens.Del
  | Tokens.Em
  | Tokens.Heading
  | Tokens.Hr
  | Tokens.Image
  | Tokens.Link
  | Tokens.List
  | Tokens.Paragraph
  | Tokens.Space
  | Tokens.Strong
  | Tokens.Table
  | Tokens.Text
  | Tokens.Escape
  | Tokens.HTML;

const toNode = (token: KnownToken): ReactNode => {
  switch (token.type) {
    case 'heading':
      return <Heading {...token} />;
    case 'paragraph':
      return (
        <p>
          <Nodes tokens={token.tokens} />
        </p>
      );
    case 'list':
      return <List {...token} />;
    case 'code':
      return (
        <pre>
          <code>{markInvisible(token.text)}</code>
        </pre>
      );
    case 'codespan':
      return <code>{markInvisible(token.text)}</code>;
    case 'blockquote':
      return (
        <blockquote>
          <Nodes tokens={token.tokens} />
        </blockquote>
      );
    case 'table':
      return <Table {...token} />;
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'strong':
      return (
        <strong>
          <Nodes tokens={token.tokens} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Nodes tokens={token.tokens} />
        </em>
      );
    case 'del':
      return (
        <del>
          <Nodes tokens={token.tokens} />
        </del>
      );
    case 'link':
      return (
        <WebLink href={token.href}>
          <Nodes tokens={token.tokens} />
        </WebLink>
      );
    case 'image':
      return <WebLink href={token.href}>{token.text === '' ? 'image' : markInvisible(token.text)}</WebLink>;
    case 'text':
      return 'tokens' in token && token.tokens !== undefined ? (
        <Nodes tokens={token.tokens} />
      ) : (
        markInvisible(decode(token.text))
      );
    case 'space':
      return null;
    case 'escape':
      return markInvisible(token.text);
    case 'html':
      return markInvisible(token.raw);
  }
};

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: '\u00a0',
};

/** Replaces the entities that writers of Markdown use. The text stays text. */
const decode = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/g, (entity, name: string) => entities[name] ?? entity);

/** The page has headings of the first two levels, so headings of the text begin with the third. */
const Heading = ({ depth, tokens }: Tokens.Heading) => {
  const Level = depth === 1 ? 'h3' : depth === 2 ? 'h4' : 'h5';
  return (
    <Level className={`heading-${Math.min(depth, 3)}`}>
      <Nodes tokens={tokens} />
    </Level>
  );
};

const List = ({ ordered, start, items }: Tokens.List) => {
  const content = items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a text never change their order
    <li key={index}>
      {item.task && (item.checked ? '☑ ' : '☐ ')}
      <Nodes tokens={item.tokens} />
    </li>
  ));
  return ordered ? <ol start={start === '' ? 1 : start}>{content}</ol> : <ul>{content}</ul>;
};

const Table = ({ header, rows }: Tokens.Table) => (
  <table>
    <thead>
      <tr>
        {header.map(({ tokens, text }) => (
          <th key={text} scope="col">
            <Nodes tokens={tokens} />
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a text never change their order
        <tr key={index}>
          {row.map(({ tokens, text }, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a text never change their order
            <td key={`${column} ${text}`}>
              <Nodes tokens={tokens} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

/** Links only to web pages. Relative links would lead into the console, and other schemes may run scripts. */
const WebLink = ({ href, children }: { readonly href: string; readonly children: ReactNode }) =>
  /^(?:https?:\/\/|mailto:)/i.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  );
