import { Fragment, type ReactNode } from 'react';
import { splitInvisible } from '../lib/invisible.ts';
import './visible-text.css';

/**
 * Shows a name or a value of somebody else. Characters that nobody sees, such as those that change the writing direction,
 * are shown as marks like `U+202E`, and the text cannot reorder what stands next to it.
 */
const VisibleText = ({ text }: { readonly text: string }) => <bdi>{markInvisible(text)}</bdi>;

/** Shows a part of a longer text of somebody else, with marks for characters that nobody sees. */
export const markInvisible = (text: string): ReactNode =>
  splitInvisible(text).map(({ text: part, isInvisible }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have nothing else that identifies them
    <Fragment key={index}>{isInvisible ? <span className="invisible-character">{part}</span> : part}</Fragment>
  ));

/** Returns content, a text as `VisibleText`. */
export const toVisible = (content: ReactNode): ReactNode =>
  typeof content === 'string' ? <VisibleText text={content} /> : content;
