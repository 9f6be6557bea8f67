import { useSyncExternalStore } from 'react';
import { readText, writeText } from './browser-storage.ts';

/** A value outside of React that components can subscribe to. */
export interface Store<T> {
  readonly get: () => T;
  readonly set: (value: T) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

/** Creates a store. */
export const createStore = <T>(initial: T): Store<T> => {
  let current = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set: (value) => {
      current = value;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

/** Creates a store whose text is kept in the local storage of the browser. */
export const createPreference = <T extends string>(name: string, values: readonly T[], initial: T): Store<T> => {
  const key = `holdfast.${name}`;
  const store = createStore(values.find((value) => value === readText('localStorage', key)) ?? initial);
  return {
    ...store,
    set: (value) => {
      writeText('localStorage', key, value);
      store.set(value);
    },
  };
};

/** Returns the value of a store and renders again when it changes. */
export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.subscribe, store.get);
