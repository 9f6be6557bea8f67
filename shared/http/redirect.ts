/** What was asked for lies elsewhere, for a while. */
export class Redirect {
  readonly location: string;

  constructor(location: string) {
    this.location = location;
  }
}
