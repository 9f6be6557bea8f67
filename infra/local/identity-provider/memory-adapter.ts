import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';

interface Item {
  readonly payload: AdapterPayload;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Creates storage for the identity provider. It lives as long as the process. */
export const createMemoryAdapter = (): AdapterFactory => {
  const items = new Map<string, Item>();

  const find = (key: string): AdapterPayload | undefined => {
    const item = items.get(key);
    if (item !== undefined && item.expiresAt <= Date.now()) items.delete(key);
    return items.get(key)?.payload;
  };

  return (model): Adapter => ({
    upsert: async (id, payload, expiresIn = Number.POSITIVE_INFINITY) => {
      items.set(`${model}:${id}`, { payload, expiresAt: Date.now() + expiresIn * 1_000 });
    },
    find: async (id) => find(`${model}:${id}`),
    findByUid: async (uid) => [...items.values()].find(({ payload }) => payload.uid === uid)?.payload,
    // Only the device flow, which is off, has codes that users type.
    findByUserCode: async () => undefined,
    consume: async (id) => {
      const payload = find(`${model}:${id}`);
      if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1_000);
    },
    destroy: async (id) => {
      items.delete(`${model}:${id}`);
    },
    revokeByGrantId: async (grantId) => {
      for (const [key, { payload }] of items) if (payload.grantId === grantId) items.delete(key);
    },
  });
};
