package etcdstore

import (
	"context"
	"errors"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
)

// authenticated asks for a token, and again for one after another that is over: five
// minutes after its last use, as servers are set up usually, and when a password changes.
// The client asks with the old token, and servers before 3.5 refuse whatever comes with
// one that is over, for ever. Those are then asked without it, on a connection of its own.
func authenticated(usual clientv3.Config) (*clientv3.Client, error) {
	without := usual
	without.Username, without.Password = "", ""
	usual.DialOptions = []grpc.DialOption{grpc.WithChainUnaryInterceptor(func(
		ctx context.Context, method string, question, answer any, cc *grpc.ClientConn, ask grpc.UnaryInvoker, options ...grpc.CallOption,
	) error {
		err := ask(ctx, method, question, answer, cc, options...)
		token, asked := answer.(*pb.AuthenticateResponse)
		if !asked || !errors.Is(rpctypes.Error(err), rpctypes.ErrInvalidAuthToken) {
			return err
		}
		token.Token, err = tokenOf(ctx, without, usual.Username, usual.Password)
		return err
	})}
	return clientv3.New(usual)
}

func tokenOf(ctx context.Context, without clientv3.Config, user, password string) (string, error) {
	client, err := clientv3.New(without)
	if err != nil {
		return "", err
	}
	defer client.Close()
	answer, err := client.Authenticate(ctx, user, password)
	if err != nil {
		return "", err
	}
	return answer.Token, nil
}
