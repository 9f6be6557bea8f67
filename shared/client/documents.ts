interface Identifier {
  readonly type: string;
  readonly id: string;
}

interface Including<R> {
  readonly included?: readonly R[];
}

/**
 * Finds an included resource by its identifier.
 * @returns undefined if it was not requested, does not exist, or may not be read (HTTP-30).
 */
export const findIncluded = <R extends Identifier, T extends R['type']>(
  { included }: Including<R>,
  type: T,
  identifier: { readonly id: string } | null | undefined,
): Extract<R, { type: T }> | undefined =>
  included?.find(
    (resource): resource is Extract<R, { type: T }> => resource.type === type && resource.id === identifier?.id,
  );

/** Finds the first included resource of a type. */
export const firstIncluded = <R extends Identifier, T extends R['type']>(
  { included }: Including<R>,
  type: T,
): Extract<R, { type: T }> | undefined =>
  included?.find((resource): resource is Extract<R, { type: T }> => resource.type === type);
