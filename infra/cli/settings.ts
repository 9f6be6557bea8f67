import type { Entered } from '../../shared/client/types.ts';
import type { Parameter, Parameters, ValuesOf } from './parameters.ts';

/** Value of a flag. A list without elements means that the flag is absent. */
type ValueOf<V> = V extends readonly (infer E)[] ? readonly E[] : V;

/** The flags of the members of an object, by their names in the API. */
export type FlagsOf<T> = {
  readonly [A in keyof T]-?: Parameter<ValueOf<Exclude<T[A], null | undefined>> | undefined>;
};

/**
 * The flags of the attributes of a body, so that a new attribute is a type error. `N` names the attributes that have no flag of
 * their name.
 * @example const settings = { name: text('New name.', 'NAME') } satisfies Settings<Schemas['SshKeyUpdateBody'], 'value'>;
 */
export type Settings<B, N extends keyof Entered<B> = never> = FlagsOf<Entered<B, N>>;

type Clearable<T> = { [A in keyof T]: null extends T[A] ? A : T[A] extends readonly unknown[] ? A : never }[keyof T];

/** The values of attributes that can be empty, by their names, so that one that is missing is a type error. */
export type EmptyValues<B, N extends keyof Entered<B> = never> = {
  readonly [A in Clearable<Entered<B, N>>]: null extends Entered<B, N>[A] ? null : [];
};

/** Returns whether the user has set a flag. */
export const isSet = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);

/** Values as a body has them, where lists can be changed. */
type Given<V> = { -readonly [A in keyof V]?: V[A] extends readonly (infer E)[] ? E[] : Exclude<V[A], undefined> };

/** Returns the attributes that the user has set. */
export const given = <P extends Parameters>(settings: P, values: ValuesOf<P>): Given<ValuesOf<P>> =>
  Object.fromEntries(
    Object.keys(settings).flatMap((name) => (isSet(values[name]) ? [[name, values[name]]] : [])),
  ) as Given<ValuesOf<P>>;
