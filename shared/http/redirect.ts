/** Result of an operation: a temporary redirect to another URL. */
export class Redirect {
  readonly location: string;

  constructor(location: string) {
    this.location = location;
  }
}
