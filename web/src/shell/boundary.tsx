import { Component, type ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { ProblemText } from "../ui/problem.tsx";
import { useTranslation } from "../i18n/i18n.tsx";

interface State {
  readonly problem?: Error;
}

/** An error in a page leaves the shell intact. React requires a class for this. */
export class Boundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = {};
  static getDerivedStateFromError(problem: Error): State {
    return { problem };
  }
  override render(): ReactNode {
    return this.state.problem ? <Crashed problem={this.state.problem} /> : this.props.children;
  }
}

function Crashed({ problem }: { readonly problem: Error }) {
  const { shell } = useTranslation();
  return (
    <div className="stack">
      <h1>{shell.crashed}</h1>
      <ProblemText problem={problem} />
      <div>
        <Button onPress={() => location.reload()}>{shell.reload}</Button>
      </div>
    </div>
  );
}
