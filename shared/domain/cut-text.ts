/**
 * Returns the beginning of a text in a form that can be stored. A half of a surrogate pair, which a cut can leave and a claim of
 * a token can contain, is replaced, because DynamoDB rejects it.
 * @param most number of characters.
 * @example
 * cutText('a😀', 2) // 'a\ufffd'
 */
export const cutText = (text: string, most: number): string => text.slice(0, most).toWellFormed();
