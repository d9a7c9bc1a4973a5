// compose-config FILE reads a Compose file as Docker Compose does, with the variables of the environment, and prints the
// project it understands as JSON.
// (compose-go's own command does not check references between services, nor durations.)
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("one argument is required: compose-config FILE"))
	}
	options, err := cli.NewProjectOptions(os.Args[1:], cli.WithOsEnv)
	if err != nil {
		fail(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		fail(err)
	}
	text, err := project.MarshalJSON()
	if err != nil {
		fail(err)
	}
	fmt.Println(string(text))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
