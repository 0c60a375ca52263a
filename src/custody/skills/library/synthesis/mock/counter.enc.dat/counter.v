// An accumulator over a shift register with feedback: small, and with a carry chain worth timing.
module counter #(parameter WIDTH = 8) (
    input clk,
    input reset,
    input enable,
    output reg [WIDTH-1:0] total,
    output parity
);
    reg [WIDTH-1:0] state;
    assign parity = ^total;
    always @(posedge clk) begin
        if (reset) begin
            state <= 1;
            total <= 0;
        end else if (enable) begin
            state <= {state[WIDTH-2:0], state[WIDTH-1] ^ state[WIDTH-3]};
            total <= total + state;
        end
    end
endmodule
