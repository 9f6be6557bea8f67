/** Result of an operation whose response is a JSON document of another form than JSON:API. */
export class PlainDocument {
  readonly content: object;

  constructor(content: object) {
    this.content = content;
  }
}
