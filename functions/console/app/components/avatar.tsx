import type { CSSProperties, ReactNode } from 'react';
import './avatar.css';

/** Returns the first characters of at most two words of a name, in upper case. */
const initialsOf = (name: string): string =>
  name
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase())
    .join('');

/** Number of different hues. */
const HUES = 12;

/** Returns a hue in degrees that is the same for equal names. */
const hueOf = (name: string): number =>
  ([...name].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521, 7) % HUES) *
  (360 / HUES);

/** Shows the initials of a person or team as decoration: the name stands next to it. */
export const Avatar = ({ name }: { readonly name: string }) => (
  <span className="avatar" aria-hidden="true" style={{ '--hue': hueOf(name) } as CSSProperties}>
    {initialsOf(name)}
  </span>
);

interface PersonProps {
  readonly name: string;
  /** The name, as a link, and what follows it. */
  readonly children: ReactNode;
}

/** Shows a person of a list. A long name wraps next to the initials. */
export const Person = ({ name, children }: PersonProps) => (
  <span className="person">
    <Avatar name={name} />
    <span>{children}</span>
  </span>
);
